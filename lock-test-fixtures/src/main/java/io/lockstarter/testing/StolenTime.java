package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The processor time that the host of this virtual machine gave to others although this
 * one asked for it: the column "steal" of Linux's {@code /proc/stat}, over all
 * processors. None where there is no such file.
 */
public final class StolenTime {

	private static final Path STATISTICS = Path.of("/proc/stat");

	/** Linux counts in hundredths of a second, whatever its clock does. */
	private static final Duration TICK = Duration.ofMillis(10);

	private StolenTime() {
	}

	/**
	 * Return the time since the machine was started.
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
