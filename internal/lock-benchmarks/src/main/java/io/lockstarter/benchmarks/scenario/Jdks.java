package io.lockstarter.benchmarks.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.Options;

/**
 * Installed JDKs.
 */
final class Jdks {

	private static final Path INSTALLED = Path.of("/usr/lib/jvm");

	private Jdks() {
	}

	static Path current() {
		return Path.of(System.getProperty("java.home"));
	}

	/**
	 * Returns the JDK of the options, this one, or the newest installed one, in this
	 * order.
	 * @param version the minimum version
	 */
	static Optional<Path> atLeast(int version, Options options) {
		Path named = options.newerJdk();
		if (named != null) {
			return Optional.of(named);
		}
		if (version(current()) >= version) {
			return Optional.of(current());
		}
		return installed().filter((home) -> version(home) >= version)
			.max((one, other) -> Integer.compare(version(one), version(other)));
	}

	private static Stream<Path> installed() {
		if (!Files.isDirectory(INSTALLED)) {
			return Stream.empty();
		}
		try (Stream<Path> homes = Files.list(INSTALLED)) {
			return homes.toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the major version of a JDK, or zero if there is none. */
	static int version(Path home) {
		Path release = home.resolve("release");
		if (!Files.isReadable(release)) {
			return 0;
		}
		try (var reader = Files.newBufferedReader(release)) {
			Properties properties = new Properties();
			properties.load(reader);
			String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
			return Arrays.stream(version.split("[^0-9]+")).mapToInt(Integer::parseInt).findFirst().orElse(0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
