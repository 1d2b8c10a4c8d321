package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.scenario.HeldScenario.Plan;

import static io.lockstarter.benchmarks.contender.ContenderType.INTEGRATION_PUBSUB;
import static io.lockstarter.benchmarks.contender.ContenderType.INTEGRATION_SPIN;
import static io.lockstarter.benchmarks.contender.ContenderType.JAVA;
import static io.lockstarter.benchmarks.contender.ContenderType.LOCK4J;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_FAIR;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_OBSERVED;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_OFF;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_QUORUM;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_SENT;
import static io.lockstarter.benchmarks.contender.ContenderType.RAW;
import static io.lockstarter.benchmarks.contender.ContenderType.RAW_TEMPLATE;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_FAIR;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_FIXED;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_PERMITS;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_QUORUM;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_READERS;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_SEMAPHORE;
import static io.lockstarter.benchmarks.contender.ContenderType.SHEDLOCK;

/**
 * All scenarios.
 */
public final class Scenarios {

	private static final List<ContenderType> EVERYBODY = List.of(OURS, OURS_OFF, REDISSON, REDISSON_FIXED,
			REDISSON_FAIR, INTEGRATION_SPIN, INTEGRATION_PUBSUB, SHEDLOCK, LOCK4J, RAW, RAW_TEMPLATE, JAVA);

	private static final List<ContenderType> ON_REDIS = EVERYBODY.stream().filter((type) -> type != JAVA).toList();

	private static final List<ContenderType> LEADERS = List.of(OURS, OURS_OFF, REDISSON);

	private static final List<ContenderType> LEADERS_AND_RAW = List.of(OURS, OURS_OFF, REDISSON, RAW);

	private static final List<ContenderType> NEW_NAMES = List.of(OURS, OURS_SENT, REDISSON, RAW);

	private static final List<ContenderType> OBSERVED = List.of(OURS, OURS_OBSERVED);

	private static final List<ContenderType> UNCONTENDED = List.of(OURS, OURS_SENT, OURS_OBSERVED, REDISSON,
			REDISSON_FIXED, INTEGRATION_SPIN, INTEGRATION_PUBSUB, SHEDLOCK, LOCK4J, RAW, RAW_TEMPLATE, JAVA);

	private static final List<ContenderType> REENTRANT = List.of(OURS, REDISSON, REDISSON_FIXED, REDISSON_FAIR,
			INTEGRATION_SPIN, INTEGRATION_PUBSUB, JAVA);

	private static final List<ContenderType> READERS = List.of(OURS, REDISSON_READERS);

	private static final List<ContenderType> FAIR = List.of(OURS_FAIR, REDISSON_FAIR);

	private static final List<ContenderType> PERMITS = List.of(OURS, OURS_OFF, REDISSON_SEMAPHORE, REDISSON_PERMITS);

	private static final List<ContenderType> QUORUM = List.of(OURS_QUORUM, REDISSON_QUORUM);

	private Scenarios() {
	}

	/**
	 * Returns all scenarios in the order of the report. Scenarios that need the same kind
	 * of fleet are adjacent.
	 * @param fleet the contenders
	 * @return the scenarios
	 */
	public static List<Scenario> all(Fleet fleet) {
		return List.of(
				new CycleScenario(fleet, "observed", "One thread, one lock, observed or not",
						Load.ownLocks(1).inNewJvms(6), List.of(), OBSERVED),
				new CycleScenario(fleet, "uncontended", "One thread, one lock", Load.ownLocks(1),
						List.of(OURS, REDISSON, RAW), UNCONTENDED),
				new CycleScenario(fleet, "own-2", "Two threads, two locks", Load.ownLocks(2), List.of(), UNCONTENDED),
				new CycleScenario(fleet, "own-4", "Four threads, four locks", Load.ownLocks(4), List.of(), UNCONTENDED),
				new CycleScenario(fleet, "own-8", "Eight threads, eight locks", Load.ownLocks(8), List.of(),
						UNCONTENDED),
				new CycleScenario(fleet, "reentry-5", "One thread, one lock, five times over",
						Load.ownLocks(1).reentered(5), List.of(OURS, REDISSON), REENTRANT),
				new CycleScenario(fleet, "hot-8", "Eight threads, one lock", Load.hotLock(8), LEADERS, EVERYBODY),
				new CycleScenario(fleet, "hot-64", "64 threads, one lock", Load.hotLock(64), LEADERS, EVERYBODY),
				new CycleScenario(fleet, "held-1ms-8", "Eight threads, one lock, held for 1 ms",
						Load.hotLock(8).heldFor(Duration.ofMillis(1)), List.of(), LEADERS_AND_RAW),
				new CycleScenario(fleet, "readers-16", "95 readers to 5 writers, one lock",
						Load.hotLock(16).withReaders(95), List.of(), READERS),
				new CycleScenario(fleet, "permits-1", "One thread, four permits", Load.ownLocks(1).withPermits(4),
						List.of(), PERMITS),
				new CycleScenario(fleet, "permits-16", "16 threads, four permits", Load.hotLock(16).withPermits(4),
						List.of(), PERMITS),
				new CycleScenario(fleet, "held-1ms-permits", "16 threads, four permits, held for 1 ms",
						Load.hotLock(16).withPermits(4).heldFor(Duration.ofMillis(1)), List.of(), PERMITS),
				new CycleScenario(fleet, "fair-50", "50 threads, one fair lock", Load.hotLock(50), List.of(), FAIR),
				new CycleScenario(fleet, "quorum", "One thread, one lock in a majority of five servers",
						Load.ownLocks(1), List.of(), QUORUM),
				new CycleScenario(fleet, "quorum-8", "Eight threads, one lock in a majority of five servers",
						Load.hotLock(8), List.of(), QUORUM),
				new CycleScenario(fleet, "virtual-64", "64 virtual threads, one lock",
						Load.hotLock(64).onVirtualThreads(), List.of(), EVERYBODY),
				new CycleScenario(fleet, "jvms-4x4", "Four JVMs, one lock", Load.hotLock(4, 4), LEADERS, ON_REDIS),
				new CycleScenario(fleet, "readers-4x4", "95 readers to 5 writers, four JVMs, one lock",
						Load.hotLock(4, 4).withReaders(95), List.of(), READERS),
				new CycleScenario(fleet, "permits-4x4", "Four JVMs, four permits", Load.hotLock(4, 4).withPermits(4),
						List.of(), PERMITS),
				new CycleScenario(fleet, "fair-4x4", "Four JVMs, one fair lock", Load.hotLock(4, 4), List.of(), FAIR),
				new CycleScenario(fleet, "held-1ms-4x4", "Four JVMs, one lock, held for 1 ms",
						Load.hotLock(4, 4).heldFor(Duration.ofMillis(1)), List.of(), LEADERS_AND_RAW),
				new WakeUpScenario(fleet, List.of(OURS, REDISSON), ON_REDIS),
				new HeldScenario("held-10000", 10_000, 0, new Plan(Duration.ofSeconds(9), 3),
						new Plan(Duration.ofSeconds(30), 5), List.of(), List.of(OURS, REDISSON)),
				new HeldScenario("used-10000", 10_000, 5, new Plan(Duration.ofSeconds(30), 2),
						new Plan(Duration.ofSeconds(30), 5), List.of(), List.of(OURS, REDISSON)),
				new HeldScenario("held-100000", 100_000, 0, new Plan(Duration.ofSeconds(30), 2),
						new Plan(Duration.ofSeconds(30), 5), List.of(), List.of(OURS, REDISSON)),
				new NewNamesScenario("new-names", 60_000, 1, List.of(), NEW_NAMES),
				new NewNamesScenario("new-names-8", 60_000, 8, List.of(), NEW_NAMES),
				new ColdScenario(10_000, List.of(), NEW_NAMES),
				new NamesScenario(List.of(), List.of(OURS, REDISSON, INTEGRATION_SPIN)), new AspectScenario(),
				new FencedScenario(), new StartScenario(10, false), new StartScenario(10, true));
	}

}
