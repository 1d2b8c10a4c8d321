package io.lockstarter.verification.history.latency;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

import io.lockstarter.verification.history.SystemProperties;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Command that measures the latency of reported losses, and compares it with the
 * guarantee.
 */
@Command(name = "loss-latency", mixinStandardHelpOptions = true, defaultValueProvider = SystemProperties.class,
		description = "Measures when a holder is notified that its lock is lost. Needs an idle machine.")
public final class LossLatencyMain implements Callable<Integer> {

	/** Limit on the latency after the local deadline: 50 ms. */
	private static final double AFTER_DEADLINE_MILLIS = 50;

	/** Limit on the latency after SIGCONT: 100 ms. */
	private static final double AFTER_STOP_MILLIS = 100;

	@Option(names = "--cases", paramLabel = "N",
			description = "Number of locks that are lost in each way (by default 200).")
	private int cases = 200;

	@Option(names = "--seed", paramLabel = "SEED", description = "Seed of all random choices (by default random).")
	private long seed = ThreadLocalRandom.current().nextLong(1_000_000_000);

	@Option(names = "--output", paramLabel = "FOLDER", description = "Folder of the report (by default target).")
	private Path output = Path.of("target");

	/**
	 * Runs the command.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		System.exit(new CommandLine(new LossLatencyMain()).execute(args));
	}

	@Override
	public Integer call() throws IOException {
		try (LossLatency measurement = new LossLatency(this.seed)) {
			Histogram afterDeadline = measurement.afterDeadlines(this.cases);
			Histogram afterStop = measurement.afterStops(this.cases);
			String report = """
					| loss reported | cases | p50 | p99 | maximum | guaranteed |
					| --- | ---: | ---: | ---: | ---: | ---: |
					%s%s
					""".formatted(line("after the local deadline", afterDeadline, AFTER_DEADLINE_MILLIS),
					line("after SIGCONT", afterStop, AFTER_STOP_MILLIS));
			Files.createDirectories(this.output);
			Files.writeString(this.output.resolve("loss-latency.md"), report);
			System.out.printf("Seed %d%n%s", this.seed, report);
			boolean kept = millis(afterDeadline.getMaxValue()) <= AFTER_DEADLINE_MILLIS
					&& millis(afterStop.getMaxValue()) <= AFTER_STOP_MILLIS;
			return kept ? 0 : 1;
		}
	}

	private static String line(String event, Histogram latency, double promised) {
		return String.format(Locale.ROOT, "| %s | %d | %.1f ms | %.1f ms | %.1f ms | %.0f ms |%n", event,
				latency.getTotalCount(), millis(latency.getValueAtPercentile(50)),
				millis(latency.getValueAtPercentile(99)), millis(latency.getMaxValue()), promised);
	}

	private static double millis(long nanos) {
		return nanos / 1e6;
	}

}
