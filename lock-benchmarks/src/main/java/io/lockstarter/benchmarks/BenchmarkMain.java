package io.lockstarter.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.ReportFiles;
import io.lockstarter.benchmarks.scenario.Scenario;
import io.lockstarter.benchmarks.scenario.Scenarios;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Runs the benchmarks and writes the report.
 */
@Command(name = "benchmark", mixinStandardHelpOptions = true,
		description = "Measures Lock Starter beside other libraries, on a Redis of its own.")
public final class BenchmarkMain implements Callable<Integer> {

	@Mixin
	private Options options = new Options();

	/**
	 * Run the benchmarks.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		System.exit(new CommandLine(new BenchmarkMain()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
	}

	@Override
	public Integer call() throws Exception {
		List<Outcome> outcomes = new ArrayList<>();
		for (Scenario scenario : Scenarios.all()) {
			if (this.options.wantsScenario(scenario.id())) {
				long begun = System.nanoTime();
				outcomes.add(scenario.run(this.options));
				System.out.printf("%s: %d s%n", scenario.id(), (System.nanoTime() - begun) / 1_000_000_000);
			}
		}
		System.out.println(new ReportFiles(this.options.output()).write(outcomes));
		return 0;
	}

}
