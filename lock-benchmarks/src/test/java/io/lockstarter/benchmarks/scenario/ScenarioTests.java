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
			.run(options("--form=short", "--rounds=1", "--round-time=1s", "--warm-up=500ms"));
		Row row = outcome.rows().get(0);
		assertThat(row.remarks()).isEmpty();
		assertThat(row.commands()).contains("evalsha").contains("scripts run 1.000 del");
		assertThat(row.figure(Metric.THROUGHPUT)).isPositive();
		assertThat(row.figure(Metric.VIOLATIONS)).isZero();
		assertThat(row.figure(Metric.SCRIPT_CALLS)).isGreaterThanOrEqualTo(2);
		assertThat(row.figure(Metric.SENT)).isGreaterThanOrEqualTo(2);
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
	void putsRedisAsFarAwayAsAskedFor() {
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
		Row row = new HeldScenario("test", 100, 1, plan, plan, field, field).run(options("--form=short")).rows().get(0);
		assertThat(row.figure(Metric.LOST)).isZero();
		assertThat(row.figure(Metric.SCRIPTS_PER_SECOND)).isPositive();
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
