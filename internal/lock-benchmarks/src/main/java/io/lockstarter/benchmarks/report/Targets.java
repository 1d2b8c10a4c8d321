package io.lockstarter.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lockstarter.benchmarks.contender.ContenderType;

import static io.lockstarter.benchmarks.contender.ContenderType.OURS;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_OBSERVED;
import static io.lockstarter.benchmarks.contender.ContenderType.OURS_OFF;
import static io.lockstarter.benchmarks.contender.ContenderType.RAW;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_PERMITS;
import static io.lockstarter.benchmarks.contender.ContenderType.REDISSON_SEMAPHORE;

/**
 * Comparison of measured figures with the targets for Lock Starter.
 */
public final class Targets {

	/** Limit on keys that are left: one token counter for each slot of a cluster. */
	private static final int SLOTS = 16_384;

	/** Limit on the heap of a held lock: 700 bytes. */
	private static final int LOCK_BYTES = 700;

	private final Map<String, Outcome> outcomes;

	private final List<Target> targets = new ArrayList<>();

	private Targets(List<Outcome> outcomes) {
		this.outcomes = outcomes.stream().collect(Collectors.toMap(Outcome::scenario, Function.identity()));
	}

	/**
	 * Checks all targets.
	 * @param outcomes the outcomes of all scenarios
	 * @return all targets, including those that were not measured
	 */
	public static List<Target> check(List<Outcome> outcomes) {
		Targets targets = new Targets(outcomes);
		targets.uncontended();
		targets.hotInOneJvm("hot-8");
		targets.hotInOneJvm("hot-64");
		targets.hotInOneJvm("virtual-64");
		targets.hotInFourJvms();
		targets.reentry();
		targets.wakeUp();
		targets.held();
		targets.inUse();
		targets.permits();
		targets.newNames("new-names");
		targets.newNames("new-names-8");
		targets.names();
		targets.overhead();
		targets.fenced();
		targets.start();
		return targets.targets;
	}

	private void uncontended() {
		String scenario = "uncontended";
		expect(scenario, "throughput ≥ 0.70 × raw", ratio(scenario, Metric.THROUGHPUT, OURS, RAW), atLeast(0.70));
		expect(scenario, "throughput ≥ 1.6 × Redisson", ratio(scenario, Metric.THROUGHPUT, OURS, REDISSON),
				atLeast(1.6));
		expect(scenario, "script time ≤ 2.0 × raw's", ratio(scenario, Metric.SCRIPT_TIME, OURS, RAW), atMost(2));
		expect(scenario, "Redis CPU ≤ 1.25 × raw's", ratio(scenario, Metric.SERVER_CPU, OURS, RAW), atMost(1.25));
		expect(scenario, "Redis CPU below Redisson's", ratio(scenario, Metric.SERVER_CPU, OURS, REDISSON),
				(ratio) -> ratio < 1);
		expect(scenario, "client CPU ≤ 1.4 × raw's", ratio(scenario, Metric.CPU, OURS, RAW), atMost(1.4));
		expect(scenario, "client CPU ≤ 0.45 × Redisson's", ratio(scenario, Metric.CPU, OURS, REDISSON), atMost(0.45));
		expect(scenario, "exactly 2 script calls", figure(scenario, Metric.SCRIPT_CALLS, OURS), (calls) -> calls == 2);
	}

	private void hotInOneJvm(String scenario) {
		expect(scenario, "throughput ≥ 300 × Redisson", ratio(scenario, Metric.THROUGHPUT, OURS, REDISSON),
				atLeast(300));
		expect(scenario, "longest wait below Redisson's", ratio(scenario, Metric.WAIT_MAX, OURS, REDISSON),
				(ratio) -> ratio < 1);
		evenShares(scenario);
		expect(scenario, "< 0.01 script calls", figure(scenario, Metric.SCRIPT_CALLS, OURS), (calls) -> calls < 0.01);
		expect(scenario, "exclusion kept, tokens rise: violations", figure(scenario, Metric.VIOLATIONS, OURS),
				atMost(0));
		expect(scenario, "hand-over off: throughput ≥ 2 × Redisson",
				ratio(scenario, Metric.THROUGHPUT, OURS_OFF, REDISSON), atLeast(2));
		expect(scenario, "hand-over off: 2.0 script calls", figure(scenario, Metric.SCRIPT_CALLS, OURS_OFF),
				(calls) -> Math.abs(calls - 2) < 0.05);
	}

	private void hotInFourJvms() {
		String scenario = "jvms-4x4";
		expect(scenario, "throughput ≥ 50 × Redisson", ratio(scenario, Metric.THROUGHPUT, OURS, REDISSON), atLeast(50));
		expect(scenario, "hand-over off: throughput ≥ 8 × Redisson",
				ratio(scenario, Metric.THROUGHPUT, OURS_OFF, REDISSON), atLeast(8));
		expect(scenario, "p99 wait < 1/5 of Redisson's", ratio(scenario, Metric.WAIT_P99, OURS, REDISSON),
				(ratio) -> ratio < 0.2);
		evenShares(scenario);
		expect(scenario, "exclusion kept, tokens rise: violations", figure(scenario, Metric.VIOLATIONS, OURS),
				atMost(0));
	}

	private void evenShares(String scenario) {
		expect(scenario, "least share ≥ 0.90", figure(scenario, Metric.SHARE_MIN, OURS), atLeast(0.90));
		expect(scenario, "greatest share ≤ 1.10", figure(scenario, Metric.SHARE_MAX, OURS), atMost(1.10));
	}

	private void reentry() {
		expect("reentry-5", "throughput ≥ 6 × Redisson", ratio("reentry-5", Metric.THROUGHPUT, OURS, REDISSON),
				atLeast(6));
	}

	private void wakeUp() {
		expect("wake-up", "p50 ≤ 0.70 × Redisson's", ratio("wake-up", Metric.WAKE_UP_P50, OURS, REDISSON),
				atMost(0.70));
		expect("wake-up", "p99 ≤ 0.9 × Redisson's", ratio("wake-up", Metric.WAKE_UP_P99, OURS, REDISSON), atMost(0.9));
	}

	private void inUse() {
		expect("held-1ms-8", "lock in use ≥ 97 %", figure("held-1ms-8", Metric.IN_USE, OURS), atLeast(97));
		expect("held-1ms-4x4", "lock in use ≥ 88 %", figure("held-1ms-4x4", Metric.IN_USE, OURS), atLeast(88));
	}

	private void permits() {
		for (ContenderType other : List.of(REDISSON_SEMAPHORE, REDISSON_PERMITS)) {
			permits("permits-1", "1.3", other);
			permits("permits-16", "20", other);
			permits("permits-4x4", "5", other);
		}
		expect("held-1ms-permits", "permits in use ≥ 95 %", figure("held-1ms-permits", Metric.IN_USE, OURS),
				atLeast(95));
		for (String scenario : List.of("permits-16", "permits-4x4", "held-1ms-permits")) {
			expect(scenario, "never more holders than permits: violations", figure(scenario, Metric.VIOLATIONS, OURS),
					atMost(0));
		}
	}

	private void permits(String scenario, String times, ContenderType other) {
		expect(scenario, "throughput ≥ %s × %s".formatted(times, other.title()),
				ratio(scenario, Metric.THROUGHPUT, OURS, other), atLeast(Double.parseDouble(times)));
	}

	private void newNames(String scenario) {
		expect(scenario, "throughput ≥ 1.4 × Redisson", ratio(scenario, Metric.THROUGHPUT, OURS, REDISSON),
				atLeast(1.4));
		expect(scenario, "keys left in Redis ≤ 16,384", figure(scenario, Metric.KEYS_LEFT, OURS), atMost(SLOTS));
	}

	private void held() {
		String few = "held-10000";
		String used = "used-10000";
		String many = "held-100000";
		expect(few, "client CPU ≤ 0.7 × Redisson's", ratio(few, Metric.CORES, OURS, REDISSON), atMost(0.7));
		expect(many, "client CPU ≤ 0.7 × Redisson's", ratio(many, Metric.CORES, OURS, REDISSON), atMost(0.7));
		expect(used, "client CPU ≤ 0.1 × Redisson's", ratio(used, Metric.CORES, OURS, REDISSON), atMost(0.1));
		expect(many, "heap of a held lock ≤ 0.7 kB", figure(many, Metric.HEAP_PER_LOCK, OURS), atMost(LOCK_BYTES));
		expect(used, "locks lost: none", figure(used, Metric.LOST, OURS), atMost(0));
		expect(few, "locks lost: none", figure(few, Metric.LOST, OURS), atMost(0));
		expect(many, "locks lost: none", figure(many, Metric.LOST, OURS), atMost(0));
		expect(many, "busy threads of the library ≤ 2", figure(many, Metric.BUSY_THREADS, OURS), atMost(2));
	}

	private void names() {
		expect("names", "heap retained < 5 MB", figure("names", Metric.RETAINED, OURS), (megabytes) -> megabytes < 5);
		expect("names", "keys left in Redis ≤ 16,384", figure("names", Metric.KEYS_LEFT, OURS), atMost(SLOTS));
		expect("cold", "no longer than Redisson", ratio("cold", Metric.FIRST_LOCKS, OURS, REDISSON), atMost(1));
	}

	private void overhead() {
		double added = figure("aspect", Metric.CALL, "annotated") - figure("aspect", Metric.CALL, "programmatic");
		expect("aspect", "annotation adds ≤ 2 µs to a programmatic lock", added / 1e3, atMost(2));
		expect("observed", "observability takes ≤ 5 % of a cycle",
				1 - ratio("observed", Metric.THROUGHPUT, OURS_OBSERVED, OURS), atMost(0.05));
	}

	private void fenced() {
		expect("fenced", "two statements more", figure("fenced", Metric.STATEMENTS, "locked and fenced")
				- figure("fenced", Metric.STATEMENTS, "locked"), (more) -> Math.abs(more - 2) < 0.01);
		expect("fenced", "a fenced call ≤ 2 × a locked one",
				figure("fenced", Metric.CALL, "locked and fenced") / figure("fenced", Metric.CALL, "locked"),
				atMost(2));
	}

	private void start() {
		String scenario = "start";
		double added = figure(scenario, Metric.FIRST_CALL, OURS)
				- figure(scenario, Metric.FIRST_CALL, Outcome.WITHOUT_LOCKS);
		double threads = figure(scenario, Metric.THREADS_READY, OURS)
				- figure(scenario, Metric.THREADS_READY, Outcome.WITHOUT_LOCKS);
		expect(scenario, "start and first lock ≤ 250 ms over data-redis alone", added, atMost(250));
		expect("start-cached", "start and first lock ≤ 100 ms over data-redis alone, with an AOT cache",
				figure("start-cached", Metric.FIRST_CALL, OURS)
						- figure("start-cached", Metric.FIRST_CALL, Outcome.WITHOUT_LOCKS),
				atMost(100));
		expect(scenario, "threads at ready: at most 3 more", threads, atMost(3));
		expect(scenario, "commands while idle: none", figure(scenario, Metric.IDLE_COMMANDS, OURS), atMost(0));
		expect(scenario, "added jars ≤ 0.8 MB", figure(scenario, Metric.ADDED_JARS, OURS), atMost(0.8));
	}

	private double ratio(String scenario, Metric metric, ContenderType one, ContenderType other) {
		return figure(scenario, metric, one) / figure(scenario, metric, other);
	}

	private double figure(String scenario, Metric metric, ContenderType contender) {
		return figure(scenario, metric, contender.title());
	}

	private double figure(String scenario, Metric metric, String label) {
		Outcome outcome = this.outcomes.get(scenario);
		return (outcome != null) ? outcome.row(label).map((row) -> row.figure(metric)).orElse(Double.NaN) : Double.NaN;
	}

	private static DoublePredicate atLeast(double least) {
		return (value) -> value >= least;
	}

	private static DoublePredicate atMost(double most) {
		return (value) -> value <= most;
	}

	private void expect(String scenario, String demand, double measured, DoublePredicate condition) {
		Target.State state = Target.State.NOT_MEASURED;
		if (!Double.isNaN(measured)) {
			state = condition.test(measured) ? Target.State.MET : Target.State.NOT_MET;
		}
		this.targets.add(new Target(scenario + ": " + demand, measured, state));
	}

}
