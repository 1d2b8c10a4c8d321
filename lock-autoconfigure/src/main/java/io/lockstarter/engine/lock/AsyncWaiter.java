package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.function.Consumer;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * A request that no thread waits for.
 */
public final class AsyncWaiter extends Waiter {

	private final Consumer<AsyncWaiter> whenSettled;

	private volatile Timer.@Nullable Task deadline;

	/**
	 * Make a request.
	 * @param whenSettled is told once when it is settled, on whatever thread
	 */
	public AsyncWaiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease,
			Consumer<AsyncWaiter> whenSettled) {
		super(request, owner, waitTime, lease, System.nanoTime());
		this.whenSettled = whenSettled;
	}

	/** End the wait in time. */
	public void expireBy(Timer timer) {
		if (hasDeadline() && !isSettled()) {
			this.deadline = timer.in(remainingNanos(), this::expire);
			if (isSettled()) {
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
	void settled() {
		cancelDeadline();
		this.whenSettled.accept(this);
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
