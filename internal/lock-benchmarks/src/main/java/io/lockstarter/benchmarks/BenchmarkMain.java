package io.lockstarter.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.lockstarter.benchmarks.report.Machine;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Report;
import io.lockstarter.benchmarks.report.ReportFiles;
import io.lockstarter.benchmarks.report.Target;
import io.lockstarter.benchmarks.report.Targets;
import io.lockstarter.benchmarks.scenario.Fleet;
import io.lockstarter.benchmarks.scenario.Scenario;
import io.lockstarter.benchmarks.scenario.Scenarios;
import io.lockstarter.testing.StolenTime;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Command that runs the benchmarks and writes the report.
 */
@Command(name = "benchmark", mixinStandardHelpOptions = true,
		defaultValueProvider = BenchmarkMain.SystemProperties.class,
		description = { "Measures Lock Starter and other libraries on separate Redis servers.",
				"Each option is also a system property: --form is benchmark.form." })
public final class BenchmarkMain implements Callable<Integer> {

	@Mixin
	private Options options = new Options();

	/**
	 * Runs the benchmarks.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		System.exit(new CommandLine(new BenchmarkMain()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
	}

	@Override
	public Integer call() throws IOException {
		Machine machine = Machine.inspect(this.options.roundTrip());
		List<Outcome> outcomes = new ArrayList<>();
		try (Fleet fleet = new Fleet(this.options.roundTrip())) {
			for (Scenario scenario : Scenarios.all(fleet)) {
				if (this.options.includesScenario(scenario.id())) {
					outcomes.add(measure(scenario));
					write(machine, outcomes);
				}
			}
		}
		System.out.println(write(machine, outcomes));
		return 0;
	}

	/**
	 * Writes the report after each scenario, so that a failure of a later one loses no
	 * results.
	 */
	private String write(Machine machine, List<Outcome> outcomes) throws IOException {
		List<Target> targets = this.options.hasTargets() ? Targets.check(outcomes) : List.of();
		return new ReportFiles(this.options.output())
			.write(new Report(this.options.form().name(), machine, outcomes, targets));
	}

	private Outcome measure(Scenario scenario) {
		Duration stolen = StolenTime.total();
		long begun = System.nanoTime();
		Outcome outcome = scenario.run(this.options);
		Duration took = Duration.ofNanos(System.nanoTime() - begun);
		System.out.printf("%s: %d s%n", scenario.id(), took.toSeconds());
		Duration processors = took.multipliedBy(Runtime.getRuntime().availableProcessors());
		return outcome.disturbed((double) StolenTime.total().minus(stolen).toNanos() / processors.toNanos());
	}

	/**
	 * Default values of options from system properties that are not empty.
	 */
	static final class SystemProperties implements IDefaultValueProvider {

		@Override
		public @Nullable String defaultValue(ArgSpec argument) {
			String property = "benchmark." + ((OptionSpec) argument).longestName().replaceFirst("^-+", "");
			String value = System.getProperty(property, "");
			return value.isBlank() ? null : value;
		}

	}

}
