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
 * Topology, JVMs and locks of a round.
 *
 * @param topology the topology of Redis
 * @param jvms the number of JVMs
 * @param threads the number of threads of each JVM
 * @param keys the locks
 * @param lease the lease of locks that are renewed, and the base of the duration of
 * faults
 * @param longLease the lease of renewed locks in every second JVM
 * @param handoverLimit the limit on hand-overs while other instances wait
 * @param roundTrip the additional round-trip time of the most distant JVM
 * @param seed the seed of all random choices
 * @param worker the main class of the JVMs
 */
public record Scenario(Topology topology, int jvms, int threads, List<String> keys, Duration lease, Duration longLease,
		int handoverLimit, Duration roundTrip, long seed, Class<?> worker) {

	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	private static final int[] HANDOVER_LIMITS = { 64, 0, 3 };

	/** Shortest lease that one JVM grants to another by a message: 5 s. */
	public static final Duration GRANTED_LEASE = MachineSettings.DIRECT_GRANT_LEASE;

	/**
	 * Chooses a scenario.
	 * @param topology the topology of Redis
	 * @param seed the seed of all random choices
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
	 * Returns this scenario with another number of JVMs.
	 * @param jvms the number of JVMs
	 * @param longLease the lease of renewed locks in every second JVM
	 * @return the changed scenario
	 */
	public Scenario jvms(int jvms, Duration longLease) {
		return new Scenario(this.topology, jvms, this.threads, this.keys, this.lease, longLease, this.handoverLimit,
				this.roundTrip, this.seed, this.worker);
	}

	/**
	 * Returns this scenario with a slow network, with different distances of the JVMs.
	 * @param roundTrip the additional round-trip time of the most distant JVM
	 * @param lease a lease that is long enough for the network
	 * @return the changed scenario
	 */
	public Scenario farAway(Duration roundTrip, Duration lease) {
		return new Scenario(this.topology, this.jvms, this.threads, this.keys, lease, lease, this.handoverLimit,
				roundTrip, this.seed, this.worker);
	}

	/** Returns the additional time of a message from or to the JVM with an index. */
	Duration distance(int index) {
		return this.roundTrip.multipliedBy(index % 3).dividedBy(4);
	}

	/** Returns the lease of locks that a JVM renews. */
	Duration leaseOf(int jvm) {
		return (jvm % 2 == 0) ? this.longLease : this.lease;
	}

	/**
	 * Returns names of locks: the first for fair requests only, the second and the last
	 * with permits.
	 * @param count the number of locks
	 * @return the names
	 */
	public static List<String> keys(int count) {
		List<String> keys = new ArrayList<>();
		keys.add(WorkerOrder.FAIR_KEYS + "0");
		keys.add(PermitKeys.only(3));
		for (int i = keys.size(); i < count - 1; i++) {
			keys.add("key-" + i);
		}
		keys.add(PermitKeys.orExclusive(2));
		return List.copyOf(keys);
	}

	/**
	 * Returns the longest time for which Redis may keep a lock of a dead holder.
	 * @return the longest lease that workers request
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
