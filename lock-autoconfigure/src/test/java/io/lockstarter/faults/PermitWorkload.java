package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.testing.StressSummary;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads that take permits of one lock without a rest, and notice whatever no permit may
 * do. Some ask for a fair one, some cancel what they ask for, and some may ask to be
 * alone.
 */
final class PermitWorkload implements AutoCloseable {

	/** Longer than anything that is done to them keeps permits from those who wait. */
	static final Duration STUCK = Duration.ofSeconds(60);

	/** What went wrong. */
	final Queue<String> violations = new ConcurrentLinkedQueue<>();

	final LongAdder grants = new LongAdder();

	final LongAdder allHeld = new LongAdder();

	final LongAdder losses = new LongAdder();

	final LongAdder refusals = new LongAdder();

	private final LongAdder overlaps = new LongAdder();

	private final AtomicInteger stuck = new AtomicInteger();

	private final LockRequest request;

	private final int permits;

	private final boolean sometimesAlone;

	private final Set<Hold> inside = ConcurrentHashMap.newKeySet();

	private final List<Worker> workers = new ArrayList<>();

	private volatile boolean ending;

	/**
	 * Begin to work.
	 * @param threads how many threads each registry has
	 */
	PermitWorkload(LockRequest request, boolean sometimesAlone, int threads, List<? extends LockRegistry> registries) {
		this.request = request.waitTime(STUCK);
		this.permits = request.permits();
		this.sometimesAlone = sometimesAlone;
		IntStream.range(0, threads * registries.size())
			.forEach((number) -> this.workers.add(new Worker(number, registries.get(number % registries.size()))));
		this.workers.forEach(Thread::start);
	}

	/** How many permits each thread has been granted. */
	List<Integer> counts() {
		return this.workers.stream().map((worker) -> worker.count).toList();
	}

	/** Whether each thread has been granted a permit since then. */
	boolean allWentOnSince(List<Integer> counts) {
		return IntStream.range(0, counts.size()).allMatch((i) -> this.workers.get(i).count > counts.get(i));
	}

	/** Tell who does not go on. */
	String stragglers(List<Integer> counts) {
		return IntStream.range(0, counts.size())
			.filter((i) -> this.workers.get(i).count <= counts.get(i))
			.mapToObj((i) -> this.workers.get(i) + ": " + Arrays.toString(this.workers.get(i).getStackTrace()))
			.toList()
			.toString();
	}

	/** Let all who hold or wait come to an end, and check what they have seen. */
	@Override
	public void close() throws InterruptedException {
		this.ending = true;
		for (Worker worker : this.workers) {
			worker.join(STUCK.multipliedBy(2).toMillis());
			if (worker.isAlive()) {
				this.stuck.incrementAndGet();
				this.violations.add("%s hangs: %s".formatted(worker, Arrays.toString(worker.getStackTrace())));
			}
		}
		long[] tokens = this.workers.stream().flatMapToLong(Worker::tokens).sorted().toArray();
		long repeated = IntStream.range(1, tokens.length).filter((i) -> tokens[i] == tokens[i - 1]).count();
		if (StressRun.isUnderWay()) {
			StressSummary.HOLDS_CHECKED.add(this.grants.sum());
			StressSummary.PERMITS_GRANTED.add(this.grants.sum());
			StressSummary.PERMIT_OVERLAPS.add(this.overlaps.sum());
			StressSummary.TOKEN_REGRESSIONS.add(repeated);
			StressSummary.STUCK_WAITERS.add(this.stuck.get());
		}
		assertThat(this.violations).isEmpty();
		assertThat(repeated).as("tokens granted twice").isZero();
		assertThat(this.allHeld.sum()).as("times that all permits were held").isPositive();
	}

	/**
	 * A thread that takes permits.
	 */
	private final class Worker extends Thread {

		private final LockRegistry registry;

		private final Random random;

		private long[] tokens = new long[1024];

		private volatile int count;

		Worker(int number, LockRegistry registry) {
			super("permits-of-" + PermitWorkload.this.request.name() + "-" + number);
			this.registry = registry;
			this.random = new Random(number);
			setDaemon(true);
		}

		@Override
		public void run() {
			while (!PermitWorkload.this.ending) {
				try {
					LockHandle handle = take(requestNow());
					if (handle != null) {
						use(handle);
					}
				}
				catch (LockBackendException ex) {
					PermitWorkload.this.refusals.increment();
				}
				catch (LockAcquisitionTimeoutException ex) {
					PermitWorkload.this.stuck.incrementAndGet();
					PermitWorkload.this.violations.add("%s waited in vain: %s".formatted(this, ex.getMessage()));
				}
				catch (Throwable ex) {
					PermitWorkload.this.violations.add("%s: %s".formatted(this, ex));
				}
			}
		}

		private LockRequest requestNow() {
			LockRequest asked = PermitWorkload.this.request;
			return switch (this.random.nextInt(32)) {
				case 0, 1 -> asked.type(LockType.FAIR);
				case 2 -> PermitWorkload.this.sometimesAlone ? asked.permits(1) : asked;
				default -> asked;
			};
		}

		private @Nullable LockHandle take(LockRequest asked) throws InterruptedException {
			if (this.random.nextInt(64) > 0) {
				return this.registry.acquire(asked);
			}
			CompletableFuture<LockHandle> promise = this.registry.acquireAsync(asked);
			Thread.yield();
			boolean withdrawn = promise.cancel(true) || promise.isCompletedExceptionally();
			return withdrawn ? null : promise.join();
		}

		private void use(LockHandle handle) {
			Hold hold = new Hold(handle, handle.permits() == 1);
			PermitWorkload.this.inside.add(hold);
			check(handle);
			add(handle.fencingToken());
			Thread.yield();
			hold.left = true;
			PermitWorkload.this.inside.remove(hold);
			try {
				handle.close();
			}
			catch (LockLostException ex) {
				PermitWorkload.this.losses.increment();
			}
		}

		/**
		 * Whoever was inside at the end of the first step, and is valid in the second,
		 * was so between them.
		 */
		private void check(LockHandle handle) {
			List<Hold> known = List.copyOf(PermitWorkload.this.inside);
			List<Hold> live = known.stream().filter(Hold::isLive).toList();
			int most = live.stream().anyMatch(Hold::alone) ? 1 : PermitWorkload.this.permits;
			if (live.size() > most) {
				PermitWorkload.this.overlaps.increment();
				PermitWorkload.this.violations.add("%s: %d hold %d permits, %s the last of them"
					.formatted(handle.name(), live.size(), most, handle.fencingToken()));
			}
			else if (live.size() == PermitWorkload.this.permits) {
				PermitWorkload.this.allHeld.increment();
			}
		}

		private void add(long token) {
			if (this.count == this.tokens.length) {
				this.tokens = Arrays.copyOf(this.tokens, 2 * this.count);
			}
			this.tokens[this.count] = token;
			// Only this thread writes
			this.count = this.count + 1;
			PermitWorkload.this.grants.increment();
		}

		LongStream tokens() {
			return Arrays.stream(this.tokens, 0, this.count);
		}

	}

	/**
	 * One hold as its owner sees it.
	 */
	private static final class Hold {

		private final LockHandle handle;

		private final boolean alone;

		private volatile boolean left;

		Hold(LockHandle handle, boolean alone) {
			this.handle = handle;
			this.alone = alone;
		}

		boolean alone() {
			return this.alone;
		}

		boolean isLive() {
			return this.handle.isValid() && !this.left;
		}

	}

}
