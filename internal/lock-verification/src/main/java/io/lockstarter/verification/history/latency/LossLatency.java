package io.lockstarter.verification.history.latency;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.HdrHistogram.Histogram;

/**
 * Measurement of the latency with which a holder is notified of losses.
 */
final class LossLatency implements AutoCloseable {

	private static final Duration LEASE = Duration.ofMillis(300);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/** Number of losses in a cold JVM that are not measured. */
	private static final int WARM_UP = 20;

	private final RedisServer redis = RedisServer.start();

	private final ChildJvm holder = ChildJvm.start(List.of("-Xmx128m"), LossHolder.class,
			String.valueOf(this.redis.port()), String.valueOf(LEASE.toMillis()));

	private final Random random;

	LossLatency(long seed) {
		this.random = new Random(seed);
		this.holder.awaitLine(LossHolder.READY::equals, PATIENCE.multipliedBy(3));
		afterDeadlines(WARM_UP);
	}

	/**
	 * Lets fixed leases end, and returns the times from the local deadline to the
	 * notification in nanoseconds.
	 */
	Histogram afterDeadlines(int cases) {
		Histogram latency = new Histogram(3);
		for (int i = 0; i < cases; i++) {
			String name = "fixed-" + i;
			this.holder.send(name + " " + (200 + this.random.nextInt(200)));
			awaitHeld(name);
			latency.recordValue(Math.max(0, Long.parseLong(awaitLost(name)[3])));
		}
		return latency;
	}

	/**
	 * Stops the holder for longer than its lease, and returns the times from just before
	 * SIGCONT to the notification in nanoseconds.
	 */
	Histogram afterStops(int cases) {
		Histogram latency = new Histogram(3);
		for (int i = 0; i < cases; i++) {
			String name = "stopped-" + i;
			this.holder.send(name + " 0");
			awaitHeld(name);
			LockSupport.parkNanos(this.random.nextLong(LEASE.toNanos()));
			this.holder.stop();
			LockSupport.parkNanos(LEASE.toNanos() * (105 + this.random.nextInt(60)) / 100);
			long resumed = System.nanoTime();
			this.holder.resume();
			latency.recordValue(Math.max(0, Long.parseLong(awaitLost(name)[2]) - resumed));
		}
		return latency;
	}

	private void awaitHeld(String name) {
		String line = this.holder.awaitLine((text) -> text.startsWith(LossHolder.HELD + name), PATIENCE);
		if (!line.equals(LossHolder.HELD + name)) {
			throw new IllegalStateException(line);
		}
	}

	private String[] awaitLost(String name) {
		return this.holder.awaitLine((text) -> text.startsWith(LossHolder.LOST + name + " "), PATIENCE).split(" ");
	}

	@Override
	public void close() {
		this.holder.close();
		this.redis.close();
	}

}
