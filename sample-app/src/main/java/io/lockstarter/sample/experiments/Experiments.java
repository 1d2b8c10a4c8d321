package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.sample.PlainWords;
import io.lockstarter.sample.experiments.Event.Kind;
import io.lockstarter.sample.experiments.ExperimentThreads.Part;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * Start of experiments with real locks.
 */
@Component
class Experiments {

	private static final Log logger = LogFactory.getLog(Experiments.class);

	/** Fixed lease of the holder that freezes: 2 s. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

	/** Time for which a holder freezes: 6 s. */
	private static final Duration FREEZE = Duration.ofSeconds(6);

	private final LockRegistry locks;

	private final Duration leaseTime;

	private final Line line;

	private final Neighbours neighbours;

	private final ExperimentThreads threads;

	private final FencedWriter writer;

	private final TicketOffice office;

	private final Diary diary;

	Experiments(LockRegistry locks, DistributedLockProperties settings, Line line, Neighbours neighbours,
			ExperimentThreads threads, FencedWriter writer, TicketOffice office, Diary diary) {
		this.locks = locks;
		this.leaseTime = settings.leaseTime();
		this.line = line;
		this.neighbours = neighbours;
		this.threads = threads;
		this.writer = writer;
		this.office = office;
		this.diary = diary;
	}

	/**
	 * Starts an experiment. When this method returns, the experiment holds its lock and
	 * continues on another thread.
	 * @param experiment the experiment
	 * @throws ResponseStatusException if the experiment is already running, or no
	 * participant can be called
	 * @throws LockException if the lock cannot be acquired
	 * @throws InterruptedException if the thread is interrupted
	 */
	void start(Experiment experiment) throws InterruptedException {
		LockHandle lock = acquire(experiment);
		Part part;
		try {
			part = begin(experiment, lock);
		}
		catch (RuntimeException ex) {
			// Asynchronously: a failed release must not replace the exception
			lock.releaseAsync();
			throw ex;
		}
		this.threads.run(experiment, part);
	}

	private LockHandle acquire(Experiment experiment) throws InterruptedException {
		LockRequest request = experiment.request("visitor").waitTime(Duration.ZERO);
		try {
			return this.locks.acquire((experiment != Experiment.FREEZE) ? request : request.leaseTime(SHORT_LEASE));
		}
		catch (LockAcquisitionTimeoutException ex) {
			String where = ex.holder().map((holder) -> " on " + PlainWords.instanceOf(holder)).orElse("");
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"This experiment is still running%s. Wait until its lock is free.".formatted(where), ex);
		}
	}

	/** Calls the participants, adds the first event and returns the rest of the work. */
	private Part begin(Experiment experiment, LockHandle lock) {
		return switch (experiment) {
			case CONTENTION -> {
				long instances = call(experiment);
				started(experiment, lock,
						String.format(Locale.ROOT, "holds the lock, and %d buyers on %d %s request it",
								instances * Participants.BUYERS, instances,
								(instances == 1) ? "instance" : "instances"));
				yield () -> holdForTurn(lock);
			}
			case LONG_HOLD -> {
				Duration work = this.leaseTime.multipliedBy(5).dividedBy(2);
				started(experiment, lock,
						"works for %s under a lease of %s".formatted(Diary.text(work), Diary.text(this.leaseTime)));
				yield () -> work(lock, work);
			}
			case FREEZE -> {
				call(experiment);
				started(experiment, lock,
						"has a lease of %s, and freezes for %s".formatted(Diary.text(SHORT_LEASE), Diary.text(FREEZE)));
				yield () -> freeze(lock);
			}
			case CUT -> {
				Duration outage = this.leaseTime.dividedBy(2);
				started(experiment, lock, "holds the lock, and is cut off from Redis for " + Diary.text(outage));
				yield () -> cut(lock, outage);
			}
			case UNFENCED, FENCED -> () -> sellLate(experiment, lock);
		};
	}

	/**
	 * Sells a ticket. Between reading and writing, the seller freezes for longer than its
	 * lease while others sell tickets.
	 * @param till the hold that prevents a second start of the experiment
	 */
	private void sellLate(Experiment experiment, LockHandle till) throws InterruptedException {
		try (till) {
			long lost = this.office.lost(experiment);
			AtomicLong token = new AtomicLong();
			AtomicLong ticket = new AtomicLong();
			TicketOffice.Pause freeze = (lock, number) -> {
				token.set(lock.fencingToken());
				ticket.set(number);
				started(experiment, lock,
						String.format(Locale.ROOT, "sells ticket %d under a lease of %s, and freezes for %s", number,
								TicketOffice.LEASE, Diary.text(FREEZE)));
				call(experiment);
				Thread.sleep(FREEZE.toMillis());
			};
			try {
				if (experiment == Experiment.FENCED) {
					this.office.sellFenced(freeze);
				}
				else {
					this.office.sell(freeze);
				}
			}
			catch (StaleTokenException ex) {
				this.diary.add(experiment, Kind.REFUSED, token.get(), String.format(Locale.ROOT,
						"woke and wrote ticket %d; the database rolled it back, because others have acquired the lock",
						ticket.get()));
				return;
			}
			catch (LockLostException ex) {
				// Too late: the transaction has been committed
				logger.debug("A lock was lost, which its listener has reported", ex);
			}
			this.diary.add(experiment, Kind.OVERWRITTEN, token.get(),
					String.format(Locale.ROOT, "woke and wrote ticket %d over the tickets of others; tickets lost: %d",
							ticket.get(), this.office.lost(experiment) - lost));
		}
	}

	private void started(Experiment experiment, LockHandle lock, String text) {
		this.diary.add(experiment, Kind.STARTED, lock, text);
	}

	private long call(Experiment experiment) {
		long instances = this.neighbours.call(experiment.name());
		if (instances == 0) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
					"No instance received the call to take part. Try again in a moment.");
		}
		return instances;
	}

	private void holdForTurn(LockHandle lock) throws InterruptedException {
		try (lock) {
			Thread.sleep(Participants.TURN.toMillis());
		}
	}

	/** Works under the lock, while the watchdog renews the lease. */
	private void work(LockHandle lock, Duration work) throws InterruptedException {
		try (lock) {
			Thread.sleep(work.toMillis());
			reportIfHeldThroughout(Experiment.LONG_HOLD, lock);
		}
	}

	/**
	 * Sleeps for longer than the lease while others acquire the lock. Then writes with
	 * the token of the lost hold.
	 */
	private void freeze(LockHandle lock) throws InterruptedException {
		try (lock) {
			Thread.sleep(FREEZE.toMillis());
			// Without lock.isValid(): a pause right here would make its result outdated
			this.writer.write(lock, "woke");
		}
	}

	/** Cuts the connections long enough to fail a renewal, but not to lose the lock. */
	private void cut(LockHandle lock, Duration outage) throws InterruptedException {
		try (lock) {
			int connections = this.line.cut(outage);
			this.diary.add(Experiment.CUT, Kind.STEP, lock,
					"may connect again; connections that were cut: " + connections);
			Thread.sleep(this.leaseTime.toMillis());
			reportIfHeldThroughout(Experiment.CUT, lock);
		}
	}

	/** Adds an event unless the lock was lost, which {@link TroubleReporter} reports. */
	private void reportIfHeldThroughout(Experiment experiment, LockHandle lock) {
		if (lock.isValid()) {
			this.diary.add(experiment, Kind.DONE, lock, "is done, and held the lock throughout");
		}
	}

}
