package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Topology;
import io.lockstarter.verification.history.report.HistoryReport;
import io.lockstarter.verification.history.report.RoundResult;
import io.lockstarter.verification.history.worker.Worker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The short form of the history check, and that it would notice.
 */
class HistoryTests {

	private static final Path OUTPUT = Path.of("target");

	private final long seed = Long.getLong("verification.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

	@Test
	void claimHoldsWhileEveryFaultStrikesOnce(@TempDir Path folder) throws IOException {
		HistoryReport report = new HistoryReport(this.seed,
				"mvn -pl lock-verification -am verify -Dverification.seed=" + this.seed);
		report.add(round(1, Topology.DURABLE, Worker.class, Duration.ofSeconds(24), folder.resolve("durable")));
		report.add(round(2, Topology.REPLICATED, Worker.class, Duration.ofSeconds(10), folder.resolve("replicated")));
		System.out.println(report.write(OUTPUT));
		assertThat(report.figures().holds()).isGreaterThan(1000);
		assertThat(report.faults()).hasSizeGreaterThanOrEqualTo(15);
		assertThat(report.figures().isClaimKept()).as("%s with seed %d", report.violations(), this.seed).isTrue();
	}

	@Test
	void mistakeThatLetsEachJvmHaveItsOwnLockIsNoticed(@TempDir Path folder) throws IOException {
		RoundResult result = round(1, Topology.DURABLE, SplitWorker.class, Duration.ofSeconds(2), folder);
		assertThat(result.figures().violations(Kind.OVERLAP)).isPositive();
		assertThat(result.figures().violations(Kind.TOKEN)).isPositive();
		assertThat(result.figures().violations(Kind.GUARD)).isPositive();
		assertThat(result.exhibits()).anyMatch((exhibit) -> exhibit.picture().startsWith("<svg"));
	}

	private RoundResult round(int number, Topology topology, Class<?> worker, Duration struck, Path folder)
			throws IOException {
		Files.createDirectories(folder);
		Scenario scenario = new Scenario(topology, 3, 8, Scenario.keys(8), Duration.ofMillis(1000), 64,
				this.seed + number, worker);
		return new Round(number, scenario, struck, Duration.ofMillis(150), Duration.ofSeconds(1)).run(folder);
	}

}
