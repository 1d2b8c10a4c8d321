package io.lockstarter.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.StressSummary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads that take locks in turn without a rest, and notice whatever no lock may do.
 */
final class Workload implements AutoCloseable {

	/** What went wrong. */
	final Queue<String> violations = new ConcurrentLinkedQueue<>();

	/** What a failing backend excuses. */
	final Queue<RuntimeException> refusals = new ConcurrentLinkedQueue<>();

	final AtomicInteger losses = new AtomicInteger();

	final AtomicInteger grants = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final AtomicInteger tokenRegressions = new AtomicInteger();

	private final Map<String, Lock> locks = new ConcurrentHashMap<>();

	private final List<Thread> threads = new ArrayList<>();

	/** When each thread was last granted a lock. */
	private final Map<Integer, Long> worked = new ConcurrentHashMap<>();

	private volatile boolean ending;

	/**
	 * Begin to work.
	 * @param names the locks, taken in turn by each thread
	 */
	Workload(int threadCount, List<String> names, List<? extends LockRegistry> registries) {
		names.forEach((name) -> this.locks.put(name, new Lock()));
		IntStream.range(0, threadCount).forEach((number) -> {
			Thread thread = new Thread(() -> work(number, names, registries.get(number % registries.size())),
					"work-" + number);
			this.threads.add(thread);
			thread.start();
		});
	}

	private void work(int number, List<String> names, LockRegistry registry) {
		for (int i = number; !this.ending; i++) {
			String name = names.get(i % names.size());
			try {
				LockHandle handle = registry.acquire(LockRequest.of(name));
				this.worked.put(number, System.nanoTime());
				use(handle, this.locks.get(name));
			}
			catch (LockBackendException | LockAcquisitionTimeoutException ex) {
				this.refusals.add(ex);
			}
			catch (Throwable ex) {
				this.violations.add("%s: %s".formatted(name, ex));
			}
		}
	}

	private void use(LockHandle handle, Lock lock) {
		this.grants.incrementAndGet();
		Hold hold = lock.enter(handle);
		Thread.yield();
		hold.left = true;
		try {
			handle.close();
			if (hold.overtaken) {
				this.overlaps.incrementAndGet();
				this.violations.add("%s was held twice, and nobody was told".formatted(handle.name()));
			}
		}
		catch (LockLostException ex) {
			this.losses.incrementAndGet();
		}
	}

	/** When each lock was last granted, by {@link System#nanoTime()}. */
	boolean allGrantedSince(long nanoTime) {
		return this.locks.values().stream().allMatch((lock) -> lock.grantedAt - nanoTime > 0);
	}

	/** Whether each thread has been granted a lock since a {@link System#nanoTime()}. */
	boolean allAtWorkSince(long nanoTime) {
		return this.worked.size() == this.threads.size()
				&& this.worked.values().stream().allMatch((granted) -> granted - nanoTime > 0);
	}

	@Override
	public void close() throws InterruptedException {
		this.ending = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
		if (StressRun.isUnderWay()) {
			StressSummary.HOLDS_CHECKED.add(this.grants.get());
			StressSummary.OVERLAPS.add(this.overlaps.get());
			StressSummary.TOKEN_REGRESSIONS.add(this.tokenRegressions.get());
		}
		assertThat(this.violations).isEmpty();
	}

	/**
	 * A lock as its holders see it.
	 */
	private final class Lock {

		private final AtomicReference<Hold> last = new AtomicReference<>(new Hold(0));

		private volatile long grantedAt = System.nanoTime();

		Hold enter(LockHandle handle) {
			Hold hold = new Hold(handle.fencingToken());
			Hold before = this.last.getAndSet(hold);
			this.grantedAt = System.nanoTime();
			if (before.token >= hold.token) {
				Workload.this.tokenRegressions.incrementAndGet();
				Workload.this.violations
					.add("%s: token %d after %d".formatted(handle.name(), hold.token, before.token));
			}
			before.overtaken = !before.left;
			return hold;
		}

	}

	/**
	 * One hold of a lock.
	 */
	private static final class Hold {

		private final long token;

		private volatile boolean left;

		private volatile boolean overtaken;

		Hold(long token) {
			this.token = token;
			this.left = token == 0;
		}

	}

}
