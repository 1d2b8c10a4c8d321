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
 * Measures the latency of loss signals, and compares it with what is promised.
 */
@Command(name = "loss-latency", mixinStandardHelpOptions = true, defaultValueProvider = SystemProperties.class,
		description = "Measures when a holder is told that its lock is lost. Needs a quiet machine.")
public final class LossLatencyMain implements Callable<Integer> {

	private static final double AFTER_DEADLINE_MILLIS = 50;

	private static final double AFTER_STOP_MILLIS = 100;

	@Option(names = "--cases", paramLabel = "N", description = "How many locks are lost in each way (by default 200).")
	private int cases = 200;

	@Option(names = "--seed", paramLabel = "SEED", description = "What all choices follow from (by default random).")
	private long seed = ThreadLocalRandom.current().nextLong(1_000_000_000);

	@Option(names = "--output", paramLabel = "FOLDER", description = "Where the report goes (by default target).")
	private Path output = Path.of("target");

	/**
	 * Measures.
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
					| loss signalled | cases | p50 | p99 | maximum | promised |
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

	private static String line(String what, Histogram latency, double promised) {
		return String.format(Locale.ROOT, "| %s | %d | %.1f ms | %.1f ms | %.1f ms | %.0f ms |%n", what,
				latency.getTotalCount(), millis(latency.getValueAtPercentile(50)),
				millis(latency.getValueAtPercentile(99)), millis(latency.getMaxValue()), promised);
	}

	private static double millis(long nanos) {
		return nanos / 1e6;
	}

}
