package io.lockstarter.verification.history.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.lockstarter.engine.lock.MachineSettings;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.worker.WorkerOrder;

/**
 * What takes part in a round.
 *
 * @param topology what keeps the locks
 * @param jvms how many JVMs take locks
 * @param threads how many threads each of them has for that
 * @param keys the locks
 * @param lease the lease of locks that are renewed, and the measure of faults
 * @param longLease the same lease in every second JVM, where it may be longer
 * @param handoverLimit how often a lock is handed over while others wait
 * @param roundTrip how much longer a round trip to the locks takes for the JVM that is
 * farthest away
 * @param seed what all choices follow from
 * @param worker the main class of the JVMs
 */
public record Scenario(Topology topology, int jvms, int threads, List<String> keys, Duration lease, Duration longLease,
		int handoverLimit, Duration roundTrip, long seed, Class<?> worker) {

	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	private static final int[] HANDOVER_LIMITS = { 64, 0, 3 };

	/** The shortest lease that one JVM grants another by a message: 5 s. */
	public static final Duration GRANTED_LEASE = MachineSettings.DIRECT_GRANT_LEASE;

	/**
	 * Chooses a scenario.
	 * @param topology what keeps the locks
	 * @param seed what all choices follow from
	 * @param worker the main class of the JVMs
	 * @return the scenario
	 */
	public static Scenario choose(Topology topology, long seed, Class<?> worker) {
		// The first numbers of generators with similar seeds are similar too
		Random random = new Random(seed * SPREAD);
		Duration lease = Duration.ofMillis(900 + 100 * random.nextInt(6));
		Duration longLease = random.nextBoolean() ? GRANTED_LEASE : lease;
		return new Scenario(topology, 3 + random.nextInt(6), 8, keys(8 + random.nextInt(17)), lease, longLease,
				HANDOVER_LIMITS[random.nextInt(HANDOVER_LIMITS.length)], Duration.ZERO, seed, worker);
	}

	/**
	 * Lets fewer or more JVMs take part.
	 * @param jvms how many
	 * @param longLease the lease of locks that every second of them renews
	 * @return the same scenario with so many
	 */
	public Scenario jvms(int jvms, Duration longLease) {
		return new Scenario(this.topology, jvms, this.threads, this.keys, this.lease, longLease, this.handoverLimit,
				this.roundTrip, this.seed, this.worker);
	}

	/**
	 * Lets the JVMs be far away from the locks, each in another distance.
	 * @param roundTrip how much longer a round trip takes for the farthest
	 * @param lease a lease that is long enough for that
	 * @return the same scenario over such a network
	 */
	public Scenario farAway(Duration roundTrip, Duration lease) {
		return new Scenario(this.topology, this.jvms, this.threads, this.keys, lease, lease, this.handoverLimit,
				roundTrip, this.seed, this.worker);
	}

	/** How much longer a message takes from or to the JVMs of a place. */
	Duration distance(int place) {
		return this.roundTrip.multipliedBy(place % 3).dividedBy(4);
	}

	/** The lease of locks that a JVM renews. */
	Duration leaseOf(int jvm) {
		return (jvm % 2 == 0) ? this.longLease : this.lease;
	}

	/**
	 * Names locks: the first of them only for fair requests, the second and the last with
	 * permits.
	 * @param count how many
	 * @return their names
	 */
	public static List<String> keys(int count) {
		List<String> keys = new ArrayList<>();
		keys.add(WorkerOrder.FAIR_KEYS + "0");
		keys.add(PermitKeys.only(3));
		for (int i = keys.size(); i < count - 1; i++) {
			keys.add("key-" + i);
		}
		keys.add(PermitKeys.orAlone(2));
		return List.copyOf(keys);
	}

	/**
	 * Returns the longest time for which Redis may keep a lock whose holder is gone.
	 * @return the longest lease that workers ask for
	 */
	public Duration longestLease() {
		Duration fixed = this.lease.multipliedBy(2);
		return (fixed.compareTo(this.longLease) > 0) ? fixed : this.longLease;
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT,
				"%s; %d JVMs of %d threads, %d keys, lease %d to %d ms, hand-over limit %d, round trip %d ms",
				this.topology, this.jvms, this.threads, this.keys.size(), this.lease.toMillis(),
				this.longLease.toMillis(), this.handoverLimit, this.roundTrip.toMillis());
	}

}
