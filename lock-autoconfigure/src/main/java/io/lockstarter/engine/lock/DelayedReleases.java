package io.lockstarter.engine.lock;

import java.time.Duration;

/**
 * Entries of one hold whose work has ended, and that are held until a minimum time has
 * passed. Thread-safe.
 */
public final class DelayedReleases {

	private int count;

	private long until;

	/**
	 * Adds an entry whose work has ended.
	 * @param time the time after which the entry is released
	 */
	public synchronized void begin(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		if (this.count == 0 || end - this.until > 0) {
			this.until = end;
		}
		this.count++;
	}

	/** Removes an entry that is about to be released. */
	public synchronized void end() {
		this.count--;
	}

	/** Returns whether all entries of the hold have ended their work. */
	synchronized boolean areAll(int entries) {
		return this.count > 0 && this.count >= entries;
	}

	/** Returns the time until the last of these entries is released. */
	synchronized Duration remaining() {
		return Duration.ofNanos(Math.max(0, this.until - System.nanoTime()));
	}

}
