package io.lockstarter.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
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
 * @param waits its requests that have waited longest, the longest first; empty if its
 * version does not tell
 */
record InstanceReport(String id, String instance, @Nullable String version, long upMillis, int held, int waiting,
		long longestWaitMillis, long longestHoldMillis, long lost, List<Wait> waits) {

	/**
	 * With names of usual length, so many fit into five kilobytes. A hundred instances
	 * that answer every two seconds then send a quarter of a megabyte a second to an
	 * instance whose page is open. Nobody reads more of them, and {@code waiting} counts
	 * them all.
	 */
	static final int MOST_WAITS = 50;

	/** Of longer names, Redis has no more than a digest. */
	private static final int LONGEST_NAME = 512;

	InstanceReport {
		waits = (waits != null) ? List.copyOf(waits) : List.of();
	}

	/**
	 * Report what a monitor shows.
	 * @param now the time by the clock that the monitor goes by
	 */
	static InstanceReport of(String id, @Nullable String version, Duration up, LockMonitor monitor, Instant now,
			long lost) {
		List<LockMonitor.Waiting> waiting = monitor.waiting();
		return new InstanceReport(id, monitor.instance(), version, up.toMillis(), monitor.heldCount(),
				monitor.waitingCount(), longest(waiting.stream().map(LockMonitor.Waiting::since), now),
				longest(monitor.held().stream().map(LockMonitor.Held::since), now), lost, longest(waiting));
	}

	private static long longest(Stream<Instant> begun, Instant now) {
		return begun.mapToLong((since) -> Duration.between(since, now).toMillis()).max().orElse(0);
	}

	private static List<Wait> longest(List<LockMonitor.Waiting> waiting) {
		return waiting.stream()
			.filter((request) -> request.name().length() <= LONGEST_NAME)
			.sorted(Comparator.comparing(LockMonitor.Waiting::waited).reversed())
			.limit(MOST_WAITS)
			.map((request) -> new Wait(request.name(), request.metricName(), request.owner().toString(),
					request.waited().toMillis()))
			.toList();
	}

	/**
	 * Put other names in place of those of locks.
	 * @param names makes a name of a group and a name
	 */
	InstanceReport named(BinaryOperator<String> names) {
		return new InstanceReport(this.id, this.instance, this.version, this.upMillis, this.held, this.waiting,
				this.longestWaitMillis, this.longestHoldMillis, this.lost,
				this.waits.stream().map((wait) -> wait.named(names)).toList());
	}

	/**
	 * A request that waits.
	 *
	 * @param name the lock's name
	 * @param group the group the lock counts under
	 * @param owner who wants it
	 * @param millis for how long it has waited
	 */
	record Wait(String name, String group, String owner, long millis) {

		Wait {
			Objects.requireNonNull(name, "name");
			Objects.requireNonNull(group, "group");
			Objects.requireNonNull(owner, "owner");
		}

		private Wait named(BinaryOperator<String> names) {
			return new Wait(names.apply(this.group, this.name), this.group, this.owner, this.millis);
		}

	}

}
