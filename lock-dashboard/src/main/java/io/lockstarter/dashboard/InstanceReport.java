package io.lockstarter.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

/**
 * What an instance tells of itself.
 *
 * @param id tells it from all others, of the same name as well
 * @param instance what it is called
 * @param version the version of the application, if that is known
 * @param upMillis for how long it has been up
 * @param held how many locks it holds
 * @param waiting how many of its requests wait
 * @param longestWaitMillis for how long the first of them has waited
 * @param longestHoldMillis for how long it has held the lock that it has held longest
 * @param lost how many locks it has lost within the last hour
 */
record InstanceReport(String id, String instance, @Nullable String version, long upMillis, int held, int waiting,
		long longestWaitMillis, long longestHoldMillis, long lost) {

	/**
	 * Report what a monitor shows.
	 * @param now the time by the clock that the monitor goes by
	 */
	static InstanceReport of(String id, @Nullable String version, Duration up, LockMonitor monitor, Instant now,
			long lost) {
		return new InstanceReport(id, monitor.instance(), version, up.toMillis(), monitor.heldCount(),
				monitor.waitingCount(), longest(monitor.waiting().stream().map(LockMonitor.Waiting::since), now),
				longest(monitor.held().stream().map(LockMonitor.Held::since), now), lost);
	}

	private static long longest(Stream<Instant> begun, Instant now) {
		return begun.mapToLong((since) -> Duration.between(since, now).toMillis()).max().orElse(0);
	}

}
