package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets something happen, but not again before a pause.
 * <p>
 * Safe for use by many threads.
 */
final class Throttle {

	private final long pauseNanos;

	private final AtomicLong notBefore = new AtomicLong(System.nanoTime());

	Throttle(Duration pause) {
		this.pauseNanos = pause.toNanos();
	}

	/** Whether it may happen now. */
	boolean passes() {
		long due = this.notBefore.get();
		long now = System.nanoTime();
		return now - due >= 0 && this.notBefore.compareAndSet(due, now + this.pauseNanos);
	}

}
