package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Minimum pause between two runs of an action.
 * <p>
 * Safe for use by multiple threads.
 */
final class Throttle {

	private final long pauseNanos;

	private final AtomicLong notBefore = new AtomicLong(System.nanoTime());

	Throttle(Duration pause) {
		this.pauseNanos = pause.toNanos();
	}

	/** Returns whether the action may run now, and if so starts the next pause. */
	boolean tryPass() {
		long due = this.notBefore.get();
		long now = System.nanoTime();
		return now - due >= 0 && this.notBefore.compareAndSet(due, now + this.pauseNanos);
	}

}
