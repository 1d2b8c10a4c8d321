package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import io.lockstarter.testing.StressSummary;
import io.lockstarter.verification.history.checker.Figures;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Topology;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.report.HistoryReport;
import io.lockstarter.verification.history.report.RoundResult;
import io.lockstarter.verification.history.worker.Worker;
import io.lockstarter.verification.history.worker.WorkerOrder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the locks by checked histories, and of the check by planted mistakes.
 */
class HistoryTests {

	private static final Path OUTPUT = Path.of("target");

	private static final Path SOAK = OUTPUT.resolve("soak");

	private static final String SOAK_COMMAND = "mvn -B -pl :lock-verification -am -Pstress test "
			+ "-Dtest=HistoryTests#claimHoldsInAllWeatherAtOnce -Dsurefire.failIfNoSpecifiedTests=false -Dverification.seed=%d";

	private final long seed = Long.getLong("verification.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

	private final double hours = Double.parseDouble(System.getProperty("verification.hours", "0.06"));

	private final double soakMinutes = Double.parseDouble(System.getProperty("verification.soak.minutes", "10"));

	@Test
	void nothingIsBrokenInAShortRound(@TempDir Path folder) throws IOException {
		RoundResult result = round(scenario(3, Scenario.keys(8), Worker.class).jvms(3, Scenario.GRANTED_LEASE),
				Duration.ofSeconds(3), folder);
		System.out.printf("[HistoryTests] seed %d: %s%n", this.seed, result);
		assertThat(result.figures().holds()).isPositive();
		assertThat(result.faults()).isNotEmpty();
		assertThat(result.figures().breaches()).as("%s with seed %d", result.exhibits(), this.seed).isZero();
	}

	@Tag("stress")
	@Test
	void mistakeThatLetsEachJvmHaveItsOwnLockIsNoticed(@TempDir Path folder) throws IOException {
		RoundResult result = round(2, SplitWorker.class, Duration.ofSeconds(2), folder.resolve("first"));
		for (int more = 0; more < 8 && !isNoticed(result.figures()); more++) {
			// On a busy machine, the JVMs may have run one after the other.
			result = round(2, SplitWorker.class, Duration.ofSeconds(2), folder.resolve("more-" + more));
		}
		assertThat(result.figures().violations(Kind.OVERLAP)).isPositive();
		assertThat(result.figures().violations(Kind.TOKEN)).isPositive();
		assertThat(result.figures().violations(Kind.GUARD)).isPositive();
		assertThat(result.exhibits()).anyMatch((exhibit) -> exhibit.picture().startsWith("<svg"));
	}

	private static boolean isNoticed(Figures figures) {
		return Stream.of(Kind.OVERLAP, Kind.TOKEN, Kind.GUARD).allMatch((kind) -> figures.violations(kind) > 0);
	}

	@Tag("stress")
	@Test
	void mistakeThatGrantsOnePermitTooManyIsNoticed(@TempDir Path folder) throws IOException {
		// Few keys, so that many threads request the same one
		List<String> keys = List.of(WorkerOrder.FAIR_KEYS + "0", PermitKeys.only(2), "key-2");
		RoundResult result = round(2, keys, GenerousWorker.class, Duration.ofSeconds(2), folder.resolve("first"));
		for (int more = 0; more < 8 && result.figures().violations(Kind.PERMITS) == 0; more++) {
			result = round(2, keys, GenerousWorker.class, Duration.ofSeconds(2), folder.resolve("more-" + more));
		}
		assertThat(result.figures().violations(Kind.PERMITS)).isPositive();
		assertThat(result.figures().violations(Kind.TOKEN)).isZero();
	}

	@Tag("stress")
	@Test
	void permitThatIsNotReleasedIsNoticed(@TempDir Path folder) throws IOException {
		RoundResult result = round(2, LeakyWorker.class, Duration.ofSeconds(2), folder);
		assertThat(result.exhibits()).filteredOn((exhibit) -> exhibit.kind() == Kind.LEAK)
			.extracting(RoundResult.Exhibit::text)
			.anyMatch((text) -> text.matches("only [0-2] of 3 permits of permits-3 can be acquired: .*"));
	}

	private RoundResult round(int jvms, Class<?> worker, Duration struck, Path folder) throws IOException {
		return round(jvms, Scenario.keys(8), worker, struck, folder);
	}

	private RoundResult round(int jvms, List<String> keys, Class<?> worker, Duration struck, Path folder)
			throws IOException {
		return round(scenario(jvms, keys, worker), struck, folder);
	}

	private Scenario scenario(int jvms, List<String> keys, Class<?> worker) {
		Duration lease = Duration.ofMillis(1000);
		return new Scenario(Topology.DURABLE, jvms, 4, keys, lease, lease, 64, Duration.ZERO, this.seed, worker);
	}

	private static RoundResult round(Scenario scenario, Duration struck, Path folder) throws IOException {
		Files.createDirectories(folder);
		return new Round(1, scenario, struck, Duration.ofMillis(150), Duration.ofMillis(500)).run(folder);
	}

	/** Checks the order of fair locks without faults, so that it is always clear. */
	@Tag("stress")
	@ParameterizedTest
	@ValueSource(longs = { 20, 100, 200 })
	void fairLocksGoInOrderOfArrivalOverASlowNetwork(long roundTrip, @TempDir Path folder) throws IOException {
		Duration lease = Duration.ofSeconds(3);
		List<String> keys = List.of(WorkerOrder.FAIR_KEYS + "0", "key-1");
		Scenario scenario = new Scenario(Topology.DURABLE, 3, 12, keys, lease, lease, 64, Duration.ofMillis(roundTrip),
				this.seed, Worker.class);
		RoundResult result = new Round(1, scenario, Duration.ZERO, Duration.ofMillis(150), Duration.ofSeconds(25))
			.run(folder);
		System.out.printf("[HistoryTests] seed %d: %s%n", this.seed, result);
		assertThat(result.figures().fairPairs()).isPositive();
		assertThat(result.figures().violations()).as("%s with seed %d", result.exhibits(), this.seed).isZero();
	}

	@Tag("stress")
	@Test
	void claimHoldsWhileFaultsStrike() throws IOException {
		Duration time = Duration.ofMillis(Math.round(this.hours * 3_600_000));
		check((seed, again) -> histories(seed, OUTPUT).run(again ? Duration.ZERO : time,
				HistoryMain.command(this.hours, seed)));
	}

	@Tag("stress")
	@Test
	void claimHoldsInAllWeatherAtOnce() throws IOException {
		Duration time = Duration.ofMillis(Math.round(this.soakMinutes * 60_000));
		check((seed, again) -> histories(seed, SOAK).soak(again ? Duration.ZERO : time, SOAK_COMMAND.formatted(seed)));
	}

	private void check(Histories histories) throws IOException {
		HistoryReport report = histories.run(this.seed, false);
		System.out.println(report.text());
		Figures figures = report.figures();
		StressSummary.HOLDS_CHECKED.add(figures.holds());
		StressSummary.OVERLAPS.add(figures.violations(Kind.OVERLAP));
		StressSummary.PERMITS_GRANTED.add(figures.permits());
		StressSummary.PERMIT_OVERLAPS.add(figures.violations(Kind.PERMITS));
		StressSummary.LEAKS.add(figures.violations(Kind.LEAK));
		StressSummary.TOKEN_REGRESSIONS.add(figures.violations(Kind.TOKEN));
		StressSummary.FALSE_LOSSES.add(figures.violations(Kind.FALSE_LOSS));
		StressSummary.STUCK_WAITERS.add(figures.violations(Kind.STUCK));
		StressSummary.FAULTS_SURVIVED.add(report.faults().values().stream().mapToInt(Integer::intValue).sum());
		assertThat(figures.breaches()).as("%s with seed %d", report.violations(), this.seed).isZero();
		if (!figures.isClaimKept()) {
			System.out.printf("Flake: %s%n", report.violations());
			StressSummary.FLAKES.add(1);
			HistoryReport again = histories.run(this.seed + 1, true);
			System.out.println(again.text());
			assertThat(again.figures().isClaimKept()).as("%s", again.violations()).isTrue();
		}
	}

	private static HistoryRun histories(long seed, Path folder) {
		return new HistoryRun(seed, folder, System.out::println);
	}

	/**
	 * Run of histories, or repetition of a single round.
	 */
	private interface Histories {

		HistoryReport run(long seed, boolean again) throws IOException;

	}

}
