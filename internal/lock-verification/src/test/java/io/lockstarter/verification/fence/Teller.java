package io.lockstarter.verification.fence;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.StaleTokenException;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Thread that moves money for one or two customers until the bank closes.
 */
final class Teller implements Runnable {

	private static final long PAUSE_AFTER_FAILURE_NANOS = 5_000_000;

	private final Bank bank;

	private final TransactionTemplate transaction;

	private final List<Way> ways;

	private final int customers;

	private final Random random;

	private final BooleanSupplier open;

	private final Outcomes outcomes;

	Teller(Bank bank, TransactionTemplate transaction, List<Way> ways, int customers, long seed, BooleanSupplier open,
			Outcomes outcomes) {
		this.bank = bank;
		this.transaction = transaction;
		this.ways = ways;
		this.customers = customers;
		this.random = new Random(seed);
		this.open = open;
		this.outcomes = outcomes;
	}

	@Override
	public void run() {
		while (this.open.getAsBoolean()) {
			Way way = this.ways.get(this.random.nextInt(this.ways.size()));
			try {
				move(way);
				this.outcomes.add("returned");
			}
			catch (StaleTokenException ex) {
				this.outcomes.add(Outcomes.REFUSED);
			}
			catch (LockLostException ex) {
				this.outcomes.add("lost");
			}
			catch (LockException | DataAccessException | TransactionException ex) {
				this.outcomes.add(ex.getClass().getSimpleName());
				// Redis is temporarily unavailable
				LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
			}
			if (Thread.interrupted()) {
				this.outcomes.add("interrupted");
			}
		}
	}

	private void move(Way way) {
		int one = this.random.nextInt(this.customers);
		List<Integer> chosen = List.of(one);
		if (this.random.nextInt(4) == 0) {
			chosen = List.of(one, (one + 1 + this.random.nextInt(this.customers - 1)) % this.customers);
		}
		way.move(this.bank, this.transaction, chosen);
	}

	/**
	 * Order of lock, transaction and caller.
	 */
	enum Way {

		/** Only the lock protects the accounts. */
		UNFENCED {
			@Override
			void move(Bank bank, TransactionTemplate transaction, List<Integer> customers) {
				bank.moveUnfenced(customers);
			}
		},

		/** The transaction has the scope of the locked method. */
		OF_METHOD {
			@Override
			void move(Bank bank, TransactionTemplate transaction, List<Integer> customers) {
				bank.moveFenced(customers);
			}
		},

		/** The transaction begins in the locked method. */
		INSIDE {
			@Override
			void move(Bank bank, TransactionTemplate transaction, List<Integer> customers) {
				bank.moveFencedInside(customers);
			}
		},

		/** The transaction has begun and read data before the lock is acquired. */
		OF_CALLER {
			@Override
			void move(Bank bank, TransactionTemplate transaction, List<Integer> customers) {
				transaction.executeWithoutResult((status) -> {
					bank.readBefore(customers.get(0));
					bank.moveFenced(customers);
				});
			}
		};

		abstract void move(Bank bank, TransactionTemplate transaction, List<Integer> customers);

	}

	/**
	 * Numbers of calls by outcome. Thread-safe.
	 */
	static final class Outcomes {

		static final String REFUSED = "refused";

		private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

		void add(String outcome) {
			add(outcome, 1);
		}

		private void add(String outcome, long count) {
			this.counts.computeIfAbsent(outcome, (any) -> new AtomicLong()).addAndGet(count);
		}

		/** Adds outcomes from the text of {@link #toString()}. */
		void addAll(String text) {
			for (String one : text.isEmpty() ? new String[0] : text.split(", ")) {
				add(one.substring(one.indexOf(' ') + 1), Long.parseLong(one.substring(0, one.indexOf(' '))));
			}
		}

		long refused() {
			return count(REFUSED);
		}

		long count(String outcome) {
			return this.counts.getOrDefault(outcome, new AtomicLong()).get();
		}

		@Override
		public String toString() {
			return this.counts.entrySet()
				.stream()
				.sorted(Map.Entry.comparingByKey())
				.map((entry) -> entry.getValue() + " " + entry.getKey())
				.collect(Collectors.joining(", "));
		}

	}

}
