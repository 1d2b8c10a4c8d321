package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Processor time that this virtual machine requested but its host gave to others. It is
 * the column "steal" of Linux's {@code /proc/stat}, over all processors, and zero without
 * such a file.
 */
public final class StolenTime {

	private static final Path STATISTICS = Path.of("/proc/stat");

	/** Unit of the statistics, which is independent of the clock's resolution: 10 ms. */
	private static final Duration TICK = Duration.ofMillis(10);

	private StolenTime() {
	}

	/**
	 * Returns the time since the machine was started.
	 * @return the sum over all processors
	 */
	public static Duration total() {
		try {
			return Files.isReadable(STATISTICS) ? in(Files.readAllLines(STATISTICS)) : Duration.ZERO;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Duration in(List<String> statistics) {
		return statistics.stream()
			.map((line) -> line.split("\\s+"))
			.filter((columns) -> columns[0].equals("cpu") && columns.length > 8)
			.map((columns) -> TICK.multipliedBy(Long.parseLong(columns[8])))
			.findFirst()
			.orElse(Duration.ZERO);
	}

}
