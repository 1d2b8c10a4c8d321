package io.lockstarter.testing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The times at which this JVM did not run although it wanted to: a host that gives its
 * processors to others, a stop signal, a long garbage collection. A thread that sleeps
 * for a moment over and over sees them as sleeps that took too long.
 * <p>
 * Safe for use by several threads.
 */
final class Standstills {

	private static final long SLEEP = TimeUnit.MILLISECONDS.toNanos(2);

	/**
	 * What a sleep may take longer than asked for: threads of one's own want to run too.
	 */
	private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int REMEMBERED = 10_000;

	private final Deque<Standstill> latest = new ArrayDeque<>();

	/** Begins to look, for as long as the JVM lives. */
	static Standstills watched() {
		Standstills standstills = new Standstills();
		Thread thread = new Thread(standstills::watch, "test-standstills");
		thread.setDaemon(true);
		thread.start();
		return standstills;
	}

	private void watch() {
		long before = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(SLEEP);
			long now = System.nanoTime();
			looked(before, now);
			before = now;
		}
	}

	synchronized void looked(long before, long now) {
		if (now - before >= SHORTEST) {
			if (this.latest.size() == REMEMBERED) {
				this.latest.remove();
			}
			this.latest.add(new Standstill(before, now));
		}
	}

	/**
	 * How long the JVM stood still in all.
	 * @param from from when on, by {@link System#nanoTime()}
	 * @param to until when
	 */
	synchronized Duration between(long from, long to) {
		return Duration.ofNanos(this.latest.stream().mapToLong((standstill) -> standstill.within(from, to)).sum());
	}

	private record Standstill(long from, long to) {

		private long within(long start, long end) {
			return Math.max(Math.min(this.to, end) - Math.max(this.from, start), 0);
		}

	}

}
