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
 * Futures that are no stages, and so tell nobody when they are done. However many they
 * are, one daemon thread looks at them, which ends with the last of them.
 * <p>
 * Safe for use by many threads.
 */
final class PendingFutures {

	private static final long PAUSE_MILLIS = 10;

	private final List<Pending> pending = new ArrayList<>();

	private boolean watched;

	/**
	 * Returns a stage that is completed, with nothing, soon after a future is done.
	 * @throws OutOfMemoryError if no thread can be started that would look at it
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
			// One that is alone, as usual, is done without delay.
			all.get(turn++ % all.size()).await();
			all.forEach(Pending::look);
		}
	}

	private synchronized List<Pending> remaining() {
		this.pending.removeIf((each) -> each.done().isDone());
		this.watched = !this.pending.isEmpty();
		return List.copyOf(this.pending);
	}

	/**
	 * A future, and the stage that is completed after it.
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
				// It is done, or throws this once more to those who ask for its result.
			}
			this.done.complete(null);
		}

		void look() {
			if (isOver()) {
				this.done.complete(null);
			}
		}

		private boolean isOver() {
			try {
				return this.future.isDone();
			}
			catch (Throwable ex) {
				// Those who ask for its result are told.
				return true;
			}
		}

	}

}
