package io.lockstarter.engine.lock;

import java.time.Duration;

/**
 * The entries of one hold whose work is done: they only keep the lock for some more time.
 * Thread-safe.
 */
public final class KeptEntries {

	private int count;

	private long until;

	/** The work of one entry is done; the entry is released after some time. */
	public synchronized void begin(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		if (this.count == 0 || end - this.until > 0) {
			this.until = end;
		}
		this.count++;
	}

	/** One of them is about to be released. */
	public synchronized void end() {
		this.count--;
	}

	/** Whether all entries of the hold are such entries. */
	synchronized boolean areAll(int entries) {
		return this.count > 0 && this.count >= entries;
	}

	/** How long the last of them keeps the lock. */
	synchronized Duration remaining() {
		return Duration.ofNanos(Math.max(0, this.until - System.nanoTime()));
	}

}
