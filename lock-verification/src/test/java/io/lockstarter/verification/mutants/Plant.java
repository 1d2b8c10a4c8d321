package io.lockstarter.verification.mutants;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Puts a mutant into a directory that precedes the class path.
 */
final class Plant {

	private static final Path SOURCES = Path.of("..", "lock-autoconfigure", "src", "main").toAbsolutePath().normalize();

	private static final String PACKAGE = "io/lockstarter";

	private Plant() {
	}

	/** The source file with the mistake. */
	static String text(Mutant mutant) {
		String source = source(mutant);
		int at = source.indexOf(mutant.original());
		if (at < 0 || source.indexOf(mutant.original(), at + 1) >= 0) {
			throw new IllegalStateException(
					"%s: not exactly once in %s:%n%s".formatted(mutant, mutant.file(), mutant.original()));
		}
		return source.replace(mutant.original(), mutant.replacement());
	}

	private static String source(Mutant mutant) {
		try {
			return Files.readString(
					SOURCES.resolve(mutant.isScript() ? "resources" : "java").resolve(PACKAGE).resolve(mutant.file()),
					StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Write the mutant's classes, or its script, to a directory. */
	static void into(Path directory, Mutant mutant) {
		try {
			Path source = Files.createDirectories(directory.resolve("source"));
			Path classes = Files.createDirectories(directory.resolve("classes"));
			Path file = (mutant.isScript() ? classes : source).resolve(PACKAGE).resolve(mutant.file());
			Files.createDirectories(file.getParent());
			Files.writeString(file, text(mutant), StandardCharsets.UTF_8);
			if (!mutant.isScript()) {
				compile(mutant, file, classes);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void compile(Mutant mutant, Path file, Path classes) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
			StringWriter errors = new StringWriter();
			List<String> options = List.of("-d", classes.toString(), "-proc:none", "-nowarn", "-parameters",
					"-classpath", System.getProperty("java.class.path"));
			if (!compiler.getTask(errors, files, null, options, null, files.getJavaFileObjects(file)).call()) {
				throw new IllegalStateException("%s does not compile:%n%s".formatted(mutant, errors));
			}
		}
	}

}
