package io.lockstarter.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Programs of this machine.
 */
public final class Programs {

	private Programs() {
	}

	/**
	 * Finds a program on the PATH.
	 * @param names the possible names, the preferred one first
	 */
	public static Optional<Path> onPath(String... names) {
		return find(System.getenv("PATH"), names);
	}

	static Optional<Path> find(String path, String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(path.split(File.pathSeparator)).map((folder) -> Path.of(folder, name)))
			.filter((file) -> Files.isRegularFile(file) && Files.isExecutable(file))
			.findFirst();
	}

}
