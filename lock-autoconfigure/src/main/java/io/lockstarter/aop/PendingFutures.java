package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.core.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Futures that are not stages, and therefore do not report their completion. One daemon
 * thread polls all of them, and ends with the last one. Thread-safe.
 */
final class PendingFutures {

	/** Maximum time to wait for one future before all are polled: 10 ms. */
	private static final long PAUSE_MILLIS = 10;

	private final List<Pending> pending = new ArrayList<>();

	private boolean watched;

	/**
	 * Returns a stage that completes, without a value, soon after a future is done.
	 * @throws OutOfMemoryError if the polling thread cannot be started
	 */
	synchronized CompletableFuture<@Nullable Void> done(Future<?> future) {
		if (!this.watched) {
			LockThreads.daemon("lock-future", this::watch).start();
			this.watched = true;
		}
		Pending added = new Pending(future, new CompletableFuture<>());
		this.pending.add(added);
		return added.done();
	}

	private void watch() {
		int turn = 0;
		for (List<Pending> all = remaining(); !all.isEmpty(); all = remaining()) {
			// A single future, which is the usual case, is awaited without delay.
			all.get(turn++ % all.size()).await();
			all.forEach(Pending::check);
		}
	}

	private synchronized List<Pending> remaining() {
		this.pending.removeIf((each) -> each.done().isDone());
		this.watched = !this.pending.isEmpty();
		return List.copyOf(this.pending);
	}

	/**
	 * Future with the stage that completes after it.
	 *
	 * @param future the future
	 * @param done the stage
	 */
	private record Pending(Future<?> future, CompletableFuture<@Nullable Void> done) {

		void await() {
			try {
				this.future.get(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				return;
			}
			catch (Throwable ex) {
				// The future is done, or throws the same exception when its result is
				// read.
			}
			this.done.complete(null);
		}

		void check() {
			if (isOver()) {
				this.done.complete(null);
			}
		}

		private boolean isOver() {
			try {
				return this.future.isDone();
			}
			catch (Throwable ex) {
				// The exception is thrown again when the result is read.
				return true;
			}
		}

	}

}
