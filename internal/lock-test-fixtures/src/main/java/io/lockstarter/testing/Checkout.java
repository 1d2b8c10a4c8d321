package io.lockstarter.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files of the project, whatever module a test belongs to.
 */
public final class Checkout {

	/** Folder of the whole project. */
	public static final Path ROOT = root();

	private Checkout() {
	}

	/**
	 * Returns the path of a file or a folder of the project.
	 * @param first the first part of the path, below the project's folder
	 * @param more the other parts
	 * @return the path
	 */
	public static Path file(String first, String... more) {
		return ROOT.resolve(Path.of(first, more));
	}

	private static Path root() {
		Path folder = Path.of("").toAbsolutePath();
		while (folder != null && !Files.isDirectory(folder.resolve(".mvn"))) {
			folder = folder.getParent();
		}
		if (folder == null) {
			throw new IllegalStateException("No folder above " + Path.of("").toAbsolutePath() + " contains .mvn");
		}
		return folder;
	}

}
