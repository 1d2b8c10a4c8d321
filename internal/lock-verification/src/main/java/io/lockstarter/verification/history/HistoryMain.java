package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.verification.history.report.HistoryReport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Command that checks histories under faults for a given time.
 */
@Command(name = "history", mixinStandardHelpOptions = true, defaultValueProvider = SystemProperties.class,
		description = { "Checks the locks of several JVMs while faults are injected.",
				"Each option is also a system property: --hours is verification.hours." })
public final class HistoryMain implements Callable<Integer> {

	@Option(names = "--hours", paramLabel = "HOURS",
			description = "Duration of the run, such as 0.1 (by default 0.25).")
	private double hours = 0.25;

	@Option(names = "--seed", paramLabel = "SEED", description = "Seed of all random choices (by default random).")
	private long seed = ThreadLocalRandom.current().nextLong(1_000_000_000);

	@Option(names = "--output", paramLabel = "FOLDER", description = "Folder of the report (by default target).")
	private Path output = Path.of("target");

	/**
	 * Runs the command.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		System.exit(new CommandLine(new HistoryMain()).execute(args));
	}

	@Override
	public Integer call() throws IOException {
		System.out.printf("Seed %d%n", this.seed);
		Duration time = Duration.ofMillis(Math.round(this.hours * Duration.ofHours(1).toMillis()));
		HistoryReport report = new HistoryRun(this.seed, this.output, System.out::println).run(time,
				command(this.hours, this.seed));
		System.out.println(report.write(this.output));
		return report.figures().isClaimKept() ? 0 : 1;
	}

	static String command(double hours, long seed) {
		return String.format(Locale.ROOT,
				"mvn -q -B -pl :lock-verification -am -Phistories verify -DskipTests -Dverification.hours=%s -Dverification.seed=%d",
				hours, seed);
	}

}
