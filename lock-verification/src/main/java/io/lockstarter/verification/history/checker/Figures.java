package io.lockstarter.verification.history.checker;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.verification.history.checker.Violation.Kind;
import org.HdrHistogram.Histogram;

/**
 * What was counted and measured. Not thread-safe.
 */
public final class Figures {

	final Histogram lossLatency = new Histogram(3);

	final Histogram lossLatencyAfterStop = new Histogram(3);

	final Histogram wakeUps = new Histogram(3);

	final Map<Kind, Long> violations = new EnumMap<>(Kind.class);

	long holds;

	long unbelieved;

	long handedOver;

	long permits;

	long allPermitsHeld;

	long asks;

	long misses;

	long losses;

	long lateLossesOfStalledJvms;

	long lateReleases;

	long lossesOfStalledReleases;

	long fairPairs;

	long updates;

	long lateUpdates;

	long lostUpdates;

	long refusedWrites;

	/**
	 * Add what was counted elsewhere.
	 * @param other the other figures
	 */
	public void add(Figures other) {
		this.lossLatency.add(other.lossLatency);
		this.lossLatencyAfterStop.add(other.lossLatencyAfterStop);
		this.wakeUps.add(other.wakeUps);
		other.violations.forEach((kind, count) -> this.violations.merge(kind, count, Long::sum));
		this.holds += other.holds;
		this.unbelieved += other.unbelieved;
		this.handedOver += other.handedOver;
		this.permits += other.permits;
		this.allPermitsHeld += other.allPermitsHeld;
		this.asks += other.asks;
		this.misses += other.misses;
		this.losses += other.losses;
		this.lateLossesOfStalledJvms += other.lateLossesOfStalledJvms;
		this.lateReleases += other.lateReleases;
		this.lossesOfStalledReleases += other.lossesOfStalledReleases;
		this.fairPairs += other.fairPairs;
		this.updates += other.updates;
		this.lateUpdates += other.lateUpdates;
		this.lostUpdates += other.lostUpdates;
		this.refusedWrites += other.refusedWrites;
	}

	/**
	 * Returns how many holds there were.
	 * @return the number of outermost holds
	 */
	public long holds() {
		return this.holds;
	}

	/**
	 * Returns how many of the holds were of one of several permits.
	 * @return the number of permits granted
	 */
	public long permits() {
		return this.permits;
	}

	/**
	 * Returns how many fair requests could be compared in order.
	 * @return the number of pairs
	 */
	public long fairPairs() {
		return this.fairPairs;
	}

	/**
	 * Returns how often something happened that must not.
	 * @param kind what kind of thing
	 * @return the number
	 */
	public long violations(Kind kind) {
		return this.violations.getOrDefault(kind, 0L);
	}

	/**
	 * Returns how many violations there were of all kinds.
	 * @return the number
	 */
	public long violations() {
		return this.violations.values().stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Returns how often something happened that must not, however busy the machine is.
	 * @return the number of violations that are not about time
	 */
	public long breaches() {
		return Arrays.stream(Kind.values()).filter((kind) -> !kind.isAboutTime()).mapToLong(this::violations).sum();
	}

	/**
	 * Returns whether nothing happened that must not, but perhaps signals that came late.
	 * @return whether there were no other violations
	 */
	public boolean isClaimKept() {
		return violations() == violations(Kind.LATE_LOSS);
	}

	/**
	 * Returns all figures as lines of a table.
	 * @return names and values, in order
	 */
	public Map<String, String> lines() {
		Map<String, String> lines = new LinkedHashMap<>();
		lines.put("holds", count(this.holds));
		lines.put("of these handed over within a JVM", count(this.handedOver));
		lines.put("of these permits", count(this.permits));
		lines.put("of these the last of all permits, where exclusion is claimed", count(this.allPermitsHeld));
		lines.put("of the holds granted when their lease was over, so never believed in", count(this.unbelieved));
		lines.put("requests of threads", count(this.asks));
		lines.put("requests not granted (time, cancellation, error)", count(this.misses));
		lines.put("updates of the unprotected counters", count(this.updates));
		lines.put("of these late: the lease ended between check and write", count(this.lateUpdates));
		lines.put("updates lost", count(this.lostUpdates));
		lines.put("writes refused by the fenced stores", count(this.refusedWrites));
		lines.put("losses told", count(this.losses));
		lines.put("loss told after the deadline (count; p50, p99, maximum in ms)", latency(this.lossLatency));
		lines.put("loss told after SIGCONT (likewise)", latency(this.lossLatencyAfterStop));
		lines.put("losses told late by JVMs that the machine did not let run, or whose listener was blocked",
				count(this.lateLossesOfStalledJvms));
		lines.put("releases that began in time and returned when the lease was over", count(this.lateReleases));
		lines.put("losses told of releases that the machine may have let begin too late",
				count(this.lossesOfStalledReleases));
		lines.put("free locks taken by one who waited, without a fault (likewise)", latency(this.wakeUps));
		lines.put("fair requests compared in order", count(this.fairPairs));
		for (Kind kind : Kind.values()) {
			lines.put("**" + kind + "**", "**" + count(violations(kind)) + "**");
		}
		return lines;
	}

	private static String count(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	private static String latency(Histogram histogram) {
		return String.format(Locale.ROOT, "%,d; %.1f, %.1f, %.1f", histogram.getTotalCount(),
				histogram.getValueAtPercentile(50) / 1e6, histogram.getValueAtPercentile(99) / 1e6,
				histogram.getMaxValue() / 1e6);
	}

}
