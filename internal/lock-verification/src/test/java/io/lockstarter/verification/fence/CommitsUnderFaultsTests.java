package io.lockstarter.verification.fence;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.lockstarter.testing.PostgresFixture;
import io.lockstarter.testing.StressSummary;
import io.lockstarter.verification.fence.Audit.Report;
import io.lockstarter.verification.fence.Ledger.Totals;
import io.lockstarter.verification.fence.Teller.Outcomes;
import io.lockstarter.verification.fence.Teller.Way;
import io.lockstarter.verification.history.nemesis.Ending;
import io.lockstarter.verification.history.nemesis.FaultEvent;
import io.lockstarter.verification.history.nemesis.Nemesis;
import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Stage;
import io.lockstarter.verification.history.nemesis.Topology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of fenced commits of several JVMs in PostgreSQL, while JVMs are killed or stopped
 * for longer than their leases, Redis loses its data, and locks are force-released.
 */
@Tag("stress")
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class CommitsUnderFaultsTests {

	/** Number of commits of both runs together. */
	private static final int COMMITS = Integer.getInteger("verification.fence.commits", 100_000);

	private static final int UNFENCED_COMMITS = COMMITS / 20;

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final int CUSTOMERS = 8;

	private static final int TELLERS = 4;

	private final long seed = Long.getLong("verification.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

	@ParameterizedTest
	@ValueSource(ints = { 2, 4 })
	void losesNoUpdate(int jvms, @TempDir Path folder) throws IOException {
		Report report = work(jvms, List.of(Way.OF_METHOD, Way.INSIDE, Way.OF_CALLER),
				(totals) -> totals.commits() >= COMMITS / 2, folder);
		StressSummary.FENCED_COMMITS.add(report.totals().commits());
		StressSummary.LOST_UPDATES.add(report.totals().lost());
		assertThat(report.totals()).as("%s with seed %d", report, this.seed).matches(Totals::isRight);
		assertThat(report.wrong()).as("%s with seed %d", report, this.seed).isZero();
		assertThat(report.outcomes().refused()).isPositive();
	}

	@Test
	void losesUpdatesWithoutFence(@TempDir Path folder) throws IOException {
		Report report = work(2, List.of(Way.UNFENCED),
				(totals) -> totals.commits() >= UNFENCED_COMMITS && totals.lost() > 0, folder);
		assertThat(report.wrong()).isPositive();
	}

	private Report work(int jvms, List<Way> ways, Predicate<Totals> enough, Path folder) throws IOException {
		PGSimpleDataSource database = (PGSimpleDataSource) PostgresFixture.createDatabase();
		Ledger ledger = new Ledger(database, CUSTOMERS);
		ledger.open();
		BankWorker.prepare(folder, database, ways);
		List<String> locks = IntStream.range(0, CUSTOMERS).mapToObj((customer) -> Bank.LOCK + ":" + customer).toList();
		Scenario scenario = new Scenario(Topology.UNRELIABLE, jvms, TELLERS, locks, LEASE, LEASE, 64, Duration.ZERO,
				this.seed, BankWorker.class);
		Audit audit = new Audit(ledger);
		long begin = System.nanoTime();
		try (Stage stage = new Stage(scenario, folder)) {
			CompletableFuture<Void> done = CompletableFuture.runAsync(() -> audit.until(enough));
			List<FaultEvent> faults = new Nemesis(stage, LEASE.multipliedBy(2)).strike(done::isDone,
					LEASE.multipliedBy(3));
			done.join();
			new Ending(stage).finish();
			Report report = audit.report(outcomes(stage));
			System.out.printf("[CommitsUnderFaultsTests] %d JVMs, %s, %d s, seed %d: %s; faults: %s%n", jvms, ways,
					TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin), this.seed, report, count(faults));
			StressSummary.FAULTS_SURVIVED.add(faults.size());
			return report;
		}
	}

	/** Returns the outcomes of calls in all JVMs, including those that were killed. */
	private static Outcomes outcomes(Stage stage) throws IOException {
		Outcomes outcomes = new Outcomes();
		for (int jvm : stage.jvms()) {
			if (Files.exists(stage.history(jvm))) {
				outcomes.addAll(Files.readString(stage.history(jvm)));
			}
		}
		return outcomes;
	}

	private static Map<String, Integer> count(List<FaultEvent> faults) {
		Map<String, Integer> counts = new TreeMap<>();
		faults.forEach((fault) -> counts.merge(fault.fault().name(), 1, Integer::sum));
		return counts;
	}

}
