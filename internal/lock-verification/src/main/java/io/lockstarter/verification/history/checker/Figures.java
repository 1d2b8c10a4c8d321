package io.lockstarter.verification.history.checker;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.verification.history.checker.Violation.Kind;
import org.HdrHistogram.Histogram;

/**
 * Counts and measurements of rounds. Not thread-safe.
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

	long attempts;

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
	 * Adds other figures to these.
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
		this.attempts += other.attempts;
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
	 * Returns the number of outermost holds.
	 * @return the number
	 */
	public long holds() {
		return this.holds;
	}

	/**
	 * Returns the number of holds that had one of several permits.
	 * @return the number
	 */
	public long permits() {
		return this.permits;
	}

	/**
	 * Returns the number of pairs of fair requests whose order was clear.
	 * @return the number of pairs
	 */
	public long fairPairs() {
		return this.fairPairs;
	}

	/**
	 * Returns the number of violations of a kind.
	 * @param kind the kind
	 * @return the number
	 */
	public long violations(Kind kind) {
		return this.violations.getOrDefault(kind, 0L);
	}

	/**
	 * Returns the number of violations of all kinds.
	 * @return the number
	 */
	public long violations() {
		return this.violations.values().stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Returns the number of violations that a busy machine cannot cause.
	 * @return the number of violations of kinds that do not depend on time
	 */
	public long breaches() {
		return Arrays.stream(Kind.values()).filter((kind) -> !kind.isAboutTime()).mapToLong(this::violations).sum();
	}

	/**
	 * Returns whether the only violations are late reports of losses.
	 * @return {@code true} if there are no other violations
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
		lines.put("holds whose lease had ended when they were granted", count(this.unbelieved));
		lines.put("requests of threads", count(this.attempts));
		lines.put("requests not granted (time, cancellation, error)", count(this.misses));
		lines.put("updates of the unprotected counters", count(this.updates));
		lines.put("of these late: the lease ended between check and write", count(this.lateUpdates));
		lines.put("updates lost", count(this.lostUpdates));
		lines.put("writes refused by the fenced stores", count(this.refusedWrites));
		lines.put("losses reported", count(this.losses));
		lines.put("loss reported after the deadline (count; p50, p99, maximum in ms)", latency(this.lossLatency));
		lines.put("loss reported after SIGCONT (likewise)", latency(this.lossLatencyAfterStop));
		lines.put("losses reported late by JVMs that were stalled, or whose listener was blocked",
				count(this.lateLossesOfStalledJvms));
		lines.put("releases that began in time and returned when the lease was over", count(this.lateReleases));
		lines.put("losses reported of releases that a stall may have delayed", count(this.lossesOfStalledReleases));
		lines.put("free locks acquired by a waiting request, without a fault (likewise)", latency(this.wakeUps));
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
