package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.function.Consumer;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Request without a waiting thread.
 */
public final class AsyncWaiter extends Waiter {

	private final Consumer<AsyncWaiter> onCompletion;

	private volatile Timer.@Nullable Task deadline;

	/**
	 * Creates a request.
	 * @param onCompletion is called once when the request has completed, on any thread
	 */
	public AsyncWaiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease,
			Consumer<AsyncWaiter> onCompletion) {
		super(request, owner, waitTime, lease, System.nanoTime());
		this.onCompletion = onCompletion;
	}

	/** Schedules the end of the wait time. */
	public void expireBy(Timer timer) {
		if (hasDeadline() && !isCompleted()) {
			this.deadline = timer.in(remainingNanos(), this::expire);
			if (isCompleted()) {
				cancelDeadline();
			}
		}
	}

	private void cancelDeadline() {
		Timer.Task task = this.deadline;
		if (task != null) {
			task.cancel();
		}
	}

	@Override
	void completed() {
		cancelDeadline();
		this.onCompletion.accept(this);
	}

	@Override
	boolean hasThread() {
		return false;
	}

	@Override
	void signal() {
		throw new UnsupportedOperationException("No thread waits to be signalled");
	}

}
