package io.lockstarter.benchmarks.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.benchmarks.contender.Contender;
import io.lockstarter.benchmarks.contender.Mutex;
import org.HdrHistogram.Histogram;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Round of a worker: threads acquire and release locks until the time is over. A thread
 * that waits at the end continues until it has acquired its lock.
 */
final class Round {

	private final Contender contender;

	private final Guards guards;

	private final RoundOrder order;

	Round(Contender contender, Guards guards, RoundOrder order) {
		this.contender = contender;
		this.guards = guards;
		this.order = order;
	}

	RoundResult run() throws InterruptedException, ExecutionException {
		List<FutureTask<ThreadResult>> threads = startThreads();
		sleepUntil(this.order.startNanos());
		long cpu = Processor.usedNanos();
		long compilers = Processor.compilerMillis();
		Histogram waits = Waits.create();
		List<Long> shares = new ArrayList<>();
		long cycles = 0;
		long held = 0;
		long violations = 0;
		for (FutureTask<ThreadResult> thread : threads) {
			ThreadResult result = thread.get();
			waits.add(result.waits());
			shares.add(result.share());
			cycles += result.cycles();
			held += result.heldNanos();
			violations += result.violations();
		}
		return new RoundResult(cycles, shares, Waits.encode(waits), held, violations, Processor.usedNanos() - cpu,
				Processor.compilerMillis() - compilers);
	}

	private List<FutureTask<ThreadResult>> startThreads() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("bench-");
		executor.setVirtualThreads(this.order.virtual());
		List<FutureTask<ThreadResult>> threads = new ArrayList<>();
		for (int i = 0; i < this.order.threads(); i++) {
			int thread = i;
			threads.add(new FutureTask<>(() -> runThread(thread)));
		}
		threads.forEach(executor::execute);
		return threads;
	}

	private ThreadResult runThread(int thread) throws InterruptedException {
		Visitor usual = usualVisitor(this.order.lock(thread));
		Visitor reader = (this.order.readers() > 0) ? Visitor.reader(this.contender.readMutex(this.order.lock(thread)))
				: usual;
		int guard = this.order.guard(thread);
		Histogram waits = Waits.create();
		long end = this.order.endNanos();
		long cycles = 0;
		long share = 0;
		long held = 0;
		long violations = 0;
		sleepUntil(this.order.startNanos());
		for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
			Visitor visitor = (ThreadLocalRandom.current().nextInt(100) < this.order.readers()) ? reader : usual;
			visitor.mutex().lock();
			long locked = System.nanoTime();
			if (!visitor.enter(this.guards, guard)) {
				violations++;
			}
			reenter(visitor.mutex());
			long done = think(locked);
			visitor.leave(this.guards, guard);
			visitor.mutex().unlock();
			waits.recordValue(locked - begun);
			cycles++;
			if (locked < end) {
				share++;
				held += Math.min(done, end) - locked;
			}
		}
		return new ThreadResult(cycles, share, waits, held, violations);
	}

	private Visitor usualVisitor(String lock) {
		int permits = this.order.permits();
		return (permits > 1) ? Visitor.oneOf(permits, this.contender.mutex(lock, permits))
				: Visitor.exclusive(this.contender.mutex(lock));
	}

	private void reenter(Mutex mutex) throws InterruptedException {
		for (int depth = 1; depth < this.order.depth(); depth++) {
			mutex.lock();
		}
		for (int depth = 1; depth < this.order.depth(); depth++) {
			mutex.unlock();
		}
	}

	/**
	 * Holds a lock for the configured time.
	 * @param since the time of the grant
	 * @return the end of the hold time
	 */
	private long think(long since) {
		if (this.order.thinkNanos() == 0) {
			return since;
		}
		long until = since + this.order.thinkNanos();
		if (this.order.permits() > 1) {
			sleepUntil(until);
		}
		long now = System.nanoTime();
		while (now - until < 0) {
			Thread.onSpinWait();
			now = System.nanoTime();
		}
		return now;
	}

	private static void sleepUntil(long nanoTime) {
		for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * Access of a thread to the guarded section of a lock, exclusive or shared.
	 */
	private record Visitor(Mutex mutex, int most) {

		static Visitor exclusive(Mutex mutex) {
			return new Visitor(mutex, 1);
		}

		static Visitor oneOf(int permits, Mutex mutex) {
			return new Visitor(mutex, permits);
		}

		static Visitor reader(Mutex mutex) {
			return new Visitor(mutex, Integer.MAX_VALUE);
		}

		private boolean isShared() {
			return this.most > 1;
		}

		boolean enter(Guards guards, int slot) {
			long token = this.mutex.fencingToken();
			return isShared() ? guards.enterShared(slot, token, this.most) : guards.enter(slot, token);
		}

		void leave(Guards guards, int slot) {
			if (isShared()) {
				guards.leaveShared(slot);
			}
			else {
				guards.leave(slot);
			}
		}

	}

	/**
	 * Result of one thread.
	 */
	private record ThreadResult(long cycles, long share, Histogram waits, long heldNanos, long violations) {
	}

}
