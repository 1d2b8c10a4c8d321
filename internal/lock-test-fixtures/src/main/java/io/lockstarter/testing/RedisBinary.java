package io.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Program {@code redis-server} to start. It is the program in the system property
 * {@value #PROPERTY}, or otherwise {@code redis-server} or {@code valkey-server} on the
 * PATH, or otherwise a static binary from an embedded-redis artifact.
 *
 * @param path the program
 * @param rules the file with the access rules for its version
 * @param launcher the command that starts the program, which is its argument
 */
record RedisBinary(Path path, String rules, List<String> launcher) {

	static final String PROPERTY = "lockstarter.test.redis.binary";

	private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.(\\d+)");

	private static final Map<Path, String> RULES = new ConcurrentHashMap<>();

	private RedisBinary(Path path) {
		this(path, RULES.computeIfAbsent(path, RedisBinary::rules), List.of());
	}

	static RedisBinary current() {
		String chosen = System.getProperty(PROPERTY);
		if (chosen != null) {
			return new RedisBinary(Path.of(chosen));
		}
		return new RedisBinary(Programs.onPath("redis-server", "valkey-server")
			.orElseGet(() -> extracted("redis-server-7.0.15-" + system())));
	}

	/**
	 * Returns the file with the rules. Valkey is derived from Redis 7.2 and has its
	 * rules.
	 */
	static String rules(Path binary) {
		Matcher version = VERSION.matcher(versionOf(binary));
		if (!version.find()) {
			throw new IllegalStateException("%s does not print its version".formatted(binary));
		}
		int number = Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2));
		if (number < 700) {
			return "redis-6.2.acl";
		}
		return (number < 702) ? "redis-7.0.acl" : "redis-7.2.acl";
	}

	private static String versionOf(Path binary) {
		try {
			Process process = new ProcessBuilder(binary.toString(), "--version").redirectErrorStream(true).start();
			return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the same program with its own clock. */
	RedisBinary with(SteppableClock clock) {
		return new RedisBinary(this.path, this.rules, clock.launcher());
	}

	/** Returns the oldest supported version. */
	static RedisBinary oldest() {
		String system = system();
		String version = switch (system) {
			case "linux-386", "linux-arm64" -> "6.2.7-";
			default -> "6.2.6-v5-";
		};
		return new RedisBinary(extracted("redis-server-" + version + system));
	}

	// Extracted to the build folder, so that killed JVMs share one copy
	private static Path extracted(String name) {
		Path binary = Path.of("target", name).toAbsolutePath();
		return Files.isExecutable(binary) ? binary : extract(name, binary);
	}

	private static Path extract(String name, Path binary) {
		try (InputStream in = RedisBinary.class.getResourceAsStream("/" + name)) {
			if (in == null) {
				throw new IllegalStateException(
						("There is no redis-server on the PATH, and no %s on the class path. It comes "
								+ "with org.signal:embedded-redis, a dependency of lock-test-fixtures")
							.formatted(name));
			}
			Files.createDirectories(binary.getParent());
			Path copy = Files.createTempFile(binary.getParent(), name, ".tmp");
			Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
			copy.toFile().setExecutable(true);
			return Files.move(copy, binary, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String system() {
		String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
		String arch = switch (System.getProperty("os.arch")) {
			case "aarch64" -> "arm64";
			case "x86", "i386", "i586", "i686" -> "386";
			default -> "amd64";
		};
		return os + "-" + arch;
	}

}
