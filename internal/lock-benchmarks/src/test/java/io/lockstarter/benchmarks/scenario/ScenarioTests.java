package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

class ScenarioTests {

	private final Fleet fleet = new Fleet(Duration.ZERO);

	@AfterEach
	void close() {
		this.fleet.close();
	}

	@Test
	void measuresThreadsOfSeveralJvms() {
		List<ContenderType> field = List.of(ContenderType.RAW);
		Outcome outcome = new CycleScenario(this.fleet, "test", "Test", Load.hotLock(2, 2), field, field)
			.run(options("--form=short", "--rounds=1", "--round-time=300ms", "--warm-up=100ms"));
		Row row = outcome.rows().get(0);
		assertThat(row.remarks()).isEmpty();
		assertThat(row.commands()).contains("evalsha").contains("scripts run 1.000 del");
		assertThat(row.figure(Metric.THROUGHPUT)).isPositive();
		assertThat(row.figure(Metric.VIOLATIONS)).isZero();
		assertThat(row.figure(Metric.SCRIPT_CALLS)).isGreaterThanOrEqualTo(2);
		assertThat(row.figure(Metric.SENT)).isGreaterThanOrEqualTo(2);
		assertThat(row.figure(Metric.SCRIPT_TIME)).isPositive();
		assertThat(row.figure(Metric.SERVER_CPU)).isPositive();
		assertThat(row.figure(Metric.IN_USE)).isNaN();
	}

	@Test
	@Tag("stress")
	void measuresHowLongALockIsInUse() {
		List<ContenderType> field = List.of(ContenderType.OURS);
		Load load = Load.hotLock(4).heldFor(Duration.ofMillis(1));
		Row row = new CycleScenario(this.fleet, "test", "Test", load, field, field)
			.run(options("--form=short", "--rounds=1", "--round-time=500ms", "--warm-up=0ms"))
			.rows()
			.get(0);
		assertThat(row.figure(Metric.IN_USE)).isNotNaN().isEqualTo(row.figure(Metric.THROUGHPUT) / 10, offset(1e-6));
	}

	@Test
	@Tag("stress")
	void measuresHowLongPermitsAreInUse() {
		List<ContenderType> field = List.of(ContenderType.OURS);
		Load load = Load.hotLock(4).withPermits(2).heldFor(Duration.ofMillis(1));
		Outcome outcome = new CycleScenario(this.fleet, "test", "Test", load, field, field)
			.run(options("--form=short", "--rounds=1", "--round-time=500ms", "--warm-up=0ms"));
		assertThat(outcome.description()).contains("all on the same lock with 2 permits, held for 1 ms");
		Row row = outcome.rows().get(0);
		assertThat(row.figure(Metric.VIOLATIONS)).isZero();
		assertThat(row.figure(Metric.IN_USE)).isLessThanOrEqualTo(100)
			.as("at least 1 ms for each hold but the last ones")
			.isGreaterThan((row.figure(Metric.THROUGHPUT) - 4) / 20);
	}

	@Test
	@Tag("stress")
	void measuresNamesThatWereNeverUsed() {
		List<ContenderType> field = List.of(ContenderType.OURS, ContenderType.RAW);
		Outcome outcome = new NewNamesScenario("test", 500, 2, field, field).run(options("--form=short", "--rounds=2"));
		assertThat(outcome.rows()).hasSize(2).allSatisfy((row) -> {
			assertThat(row.rounds()).hasSize(2);
			assertThat(row.figure(Metric.THROUGHPUT)).isPositive();
			assertThat(row.figure(Metric.SCRIPT_TIME)).isPositive();
		});
		assertThat(outcome.rows().get(1).figure(Metric.KEYS_LEFT)).isZero();
	}

	@Test
	@Tag("stress")
	void measuresTheFirstLocksOfAJvm() {
		List<ContenderType> field = List.of(ContenderType.RAW);
		Row row = new ColdScenario(100, field, field).run(options("--form=short", "--rounds=2")).rows().get(0);
		assertThat(row.rounds()).hasSize(2);
		assertThat(row.figure(Metric.FIRST_LOCKS)).isPositive();
		assertThat(row.figure(Metric.FIRST_LOCKS_CPU)).isPositive();
	}

	@Test
	@Tag("stress")
	void startsAWebApplicationWithEachLibrary() {
		Outcome outcome = new StartScenario(1, false).run(options("--form=short", "--scenarios=start"));
		assertThat(outcome.rows()).hasSize(3).allSatisfy((row) -> {
			assertThat(row.figure(Metric.READY)).isPositive();
			assertThat(row.figure(Metric.FIRST_CALL)).isGreaterThan(row.figure(Metric.READY));
			assertThat(row.figure(Metric.FIRST_CALL_CPU)).isPositive();
			assertThat(row.figure(Metric.CLASSES)).isGreaterThan(1000);
			assertThat(row.figure(Metric.THREADS_READY)).isPositive();
			assertThat(row.figure(Metric.THREADS_CALLED)).isPositive();
		});
		assertThat(outcome.rows().get(0).figure(Metric.ADDED_JARS)).isZero();
		assertThat(outcome.rows().get(1).figure(Metric.ADDED_JARS)).isPositive();
		assertThat(outcome.rows().get(1).figure(Metric.IDLE_COMMANDS)).isZero();
	}

	@Test
	void startsNoApplicationThatIsNotSelected() {
		assertThat(new StartScenario(1, false).run(options("--form=short")).rows()).isEmpty();
		assertThat(new StartScenario(1, true).run(options("--form=short")).rows()).isEmpty();
	}

	@Test
	@Tag("stress")
	void measuresInNewJvmsAgain() {
		List<ContenderType> field = List.of(ContenderType.RAW);
		Outcome outcome = new CycleScenario(this.fleet, "test", "Test", Load.ownLocks(1).inNewJvms(2), field, field)
			.run(options("--form=short", "--rounds=1", "--round-time=200ms", "--warm-up=0ms"));
		Row row = outcome.rows().get(0);
		assertThat(row.remarks()).isEmpty();
		assertThat(row.rounds()).hasSize(2);
		assertThat(row.figure(Metric.VIOLATIONS)).isZero();
		assertThat(outcome.description()).contains("2 rounds", "in new JVMs 2 times");
	}

	@Test
	@Tag("stress")
	void measuresTheWakeUpBetweenTwoJvms() {
		List<ContenderType> field = List.of(ContenderType.OURS);
		Row row = new WakeUpScenario(this.fleet, field, field)
			.run(options("--form=short", "--rounds=1", "--warm-up=0ms"))
			.rows()
			.get(0);
		assertThat(row.figure(Metric.WAKE_UP_P50)).isPositive();
		assertThat(row.figure(Metric.WAKE_UP_P99)).isGreaterThanOrEqualTo(row.figure(Metric.WAKE_UP_P50));
	}

	@Test
	@Tag("stress")
	void delaysRedisAsRequested() {
		List<ContenderType> field = List.of(ContenderType.RAW);
		try (Fleet distant = new Fleet(Duration.ofMillis(20))) {
			Row row = new CycleScenario(distant, "test", "Test", Load.ownLocks(1), field, field)
				.run(options("--form=short", "--rounds=1", "--round-time=1s", "--warm-up=0ms"))
				.rows()
				.get(0);
			assertThat(row.figure(Metric.WAIT_P50)).isGreaterThan(20_000);
			assertThat(row.figure(Metric.SCRIPT_CALLS)).as("of all cycles").isEqualTo(2);
		}
	}

	@Test
	@Tag("stress")
	void findsHeldLocksInRedisAndByTheLibrary() {
		List<ContenderType> field = List.of(ContenderType.OURS);
		HeldScenario.Plan plan = new HeldScenario.Plan(Duration.ofSeconds(3), 1);
		Row row = new HeldScenario("test", 2000, 1, plan, plan, field, field).run(options("--form=short"))
			.rows()
			.get(0);
		assertThat(row.figure(Metric.LOST)).isZero();
		assertThat(row.figure(Metric.SCRIPTS_PER_SECOND)).isPositive();
		assertThat(row.figure(Metric.HEAP_PER_LOCK)).isPositive();
		assertThat(row.figure(Metric.REDIS_PER_LOCK)).isPositive();
	}

	private static Options options(String... arguments) {
		Options options = new Options();
		new CommandLine(new Command(options)).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
		return options;
	}

	/**
	 * A command with these options.
	 */
	@CommandLine.Command
	private record Command(@CommandLine.Mixin Options options) {
	}

}
