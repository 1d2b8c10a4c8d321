package io.lockstarter.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmarks.contender.ContenderType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ReportFilesTests {

	private static final Outcome UNCONTENDED = new Outcome("uncontended", "One thread, one lock", "By hand.",
			List.of(Metric.THROUGHPUT, Metric.SCRIPT_CALLS), List.of(row(ContenderType.OURS, 19_000),
					row(ContenderType.REDISSON, 10_000), row(ContenderType.RAW, 20_000)));

	@TempDir
	private Path folder;

	@Test
	void writesFiguresWithRatiosToRawAndToRedisson() throws IOException {
		assertThat(write(UNCONTENDED)).contains("| Lock Starter | 19,000 | 2.0000 |")
			.contains("| Lock Starter | 0.95 \\| 1.90 |");
	}

	@Test
	void writesRatiosToEachSemaphoreOfRedisson() throws IOException {
		Outcome permits = new Outcome("permits-16", "", "", UNCONTENDED.metrics(),
				List.of(row(ContenderType.OURS, 21_000), row(ContenderType.REDISSON_SEMAPHORE, 2_000),
						row(ContenderType.REDISSON_PERMITS, 1_000)));
		assertThat(write(permits))
			.contains("Ratios: times Redisson, RSemaphore | times Redisson, RPermitExpirableSemaphore")
			.contains("| Lock Starter | 10.50 \\| 21.00 |")
			.contains("| permits-16: throughput ≥ 20 × Redisson, RSemaphore | 10.500 | **NOT MET** |")
			.contains("| permits-16: throughput ≥ 20 × Redisson, RPermitExpirableSemaphore | 21.000 | met |");
	}

	@Test
	void reportsMetTargets() throws IOException {
		assertThat(write(UNCONTENDED)).contains("| uncontended: throughput ≥ 0.70 × raw | 0.950 | met |")
			.contains("| uncontended: throughput ≥ 1.6 × Redisson | 1.900 | met |")
			.contains("| reentry-5: throughput ≥ 6 × Redisson | n/a | not measured |");
	}

	@Test
	void reportsTargetsThatAreNotMet() throws IOException {
		Outcome slow = new Outcome("uncontended", "", "", UNCONTENDED.metrics(),
				List.of(row(ContenderType.OURS, 10_000), row(ContenderType.RAW, 20_000)));
		assertThat(write(slow)).contains("| uncontended: throughput ≥ 0.70 × raw | 0.500 | **NOT MET** |");
	}

	@Test
	void reportsWhyAScenarioWasNotRun() throws IOException {
		assertThat(write(new Outcome("virtual-64", "Virtual threads", "NOT RUN: no JDK", List.of(), List.of())))
			.contains("NOT RUN: no JDK");
	}

	@Test
	void reportsProcessorTimeTakenByTheHost() throws IOException {
		assertThat(write(UNCONTENDED.disturbed(0.123)))
			.contains("By hand.\n\nMeanwhile the host took 12 % of the processors' time away.\n");
		assertThat(write(UNCONTENDED.disturbed(0.009))).doesNotContain("Meanwhile");
	}

	@Test
	void writesAPageWithTablesAndCharts() throws IOException {
		write(UNCONTENDED);
		String page = Files.readString(this.folder.resolve("benchmark.html"));
		assertThat(page).contains("<table>").contains("benchmark-charts/uncontended-throughput.svg");
		assertThat(this.folder.resolve("benchmark-charts/uncontended-throughput.svg")).content().contains("<svg");
	}

	@Test
	void writesAllFiguresAsJson() throws IOException {
		write(UNCONTENDED);
		assertThat(this.folder.resolve("benchmark.json")).content().contains("\"THROUGHPUT\" : 19000.0");
	}

	private String write(Outcome outcome) throws IOException {
		List<Outcome> outcomes = List.of(outcome);
		return new ReportFiles(this.folder)
			.write(new Report("short", new Machine(Map.of("Redis", "7")), outcomes, Targets.check(outcomes)));
	}

	private static Row row(ContenderType contender, double throughput) {
		return Row.of(contender, List.of(Map.of(Metric.THROUGHPUT, throughput, Metric.SCRIPT_CALLS, 2.0)), List.of());
	}

}
