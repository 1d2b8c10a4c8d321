package io.lockstarter.testing;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Locale;

/**
 * Finds the {@code redis-server} to start: the one on the PATH, or else the static binary
 * carried by the embedded-redis artifact.
 */
final class RedisBinary {

	private RedisBinary() {
	}

	static Path locate() {
		return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> Path.of(directory, "redis-server"))
			.filter((file) -> Files.isRegularFile(file) && Files.isExecutable(file))
			.findFirst()
			.orElseGet(RedisBinary::extracted);
	}

	// Kept in the build folder, so that killed JVMs do not each leave a copy behind
	private static Path extracted() {
		String name = "redis-server-7.0.15-" + system();
		Path binary = Path.of("target", name).toAbsolutePath();
		return Files.isExecutable(binary) ? binary : extract(name, binary);
	}

	private static Path extract(String name, Path binary) {
		try (InputStream in = RedisBinary.class.getResourceAsStream("/" + name)) {
			if (in == null) {
				throw new IllegalStateException("No redis-server on the PATH, and no embedded binary " + name);
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
