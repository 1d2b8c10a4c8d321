package io.lockstarter.benchmarks.scenario;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Class path of an application with fewer dependencies than this one.
 *
 * @param entries the files and folders
 */
record ClassPath(Set<Path> entries) {

	/** Resource that Maven writes, with all transitive dependencies. */
	private static final String TREE = "/dependency-tree.json";

	private static final Set<String> AT_RUN_TIME = Set.of("compile", "runtime");

	private static final Set<Path> ALL = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
		.map(Path::of)
		.collect(Collectors.toCollection(LinkedHashSet::new));

	/** Returns the class path of a project with these dependencies. */
	static ClassPath of(String... artifacts) {
		Map<String, Artifact> found = new HashMap<>();
		Map<String, Set<String>> dependencies = new HashMap<>();
		collect(tree(), found, dependencies);
		Deque<String> open = new ArrayDeque<>(List.of(artifacts));
		Set<String> reached = new HashSet<>();
		while (!open.isEmpty()) {
			String next = open.remove();
			if (reached.add(next)) {
				open.addAll(dependencies.getOrDefault(next, Set.of()));
			}
		}
		return new ClassPath(reached.stream()
			.map((artifact) -> Objects.requireNonNull(found.get(artifact), artifact).locate())
			.collect(Collectors.toCollection(LinkedHashSet::new)));
	}

	private static Artifact tree() {
		try (InputStream in = Objects.requireNonNull(ClassPath.class.getResourceAsStream(TREE),
				TREE + ", which Maven writes")) {
			return JsonMapper.shared().readValue(in, Artifact.class);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Collects all dependencies. The tree contains those of each artifact only once.
	 */
	private static void collect(Artifact artifact, Map<String, Artifact> found, Map<String, Set<String>> dependencies) {
		found.putIfAbsent(artifact.artifactId(), artifact);
		artifact.needed().forEach((child) -> {
			if (AT_RUN_TIME.contains(child.scope())) {
				dependencies.computeIfAbsent(artifact.artifactId(), (key) -> new HashSet<>()).add(child.artifactId());
			}
			collect(child, found, dependencies);
		});
	}

	/** Returns the entries that another class path does not have. */
	ClassPath beyond(ClassPath other) {
		return new ClassPath(this.entries.stream()
			.filter((entry) -> !other.entries.contains(entry))
			.collect(Collectors.toCollection(LinkedHashSet::new)));
	}

	/** Returns this class path with the location of a class added. */
	ClassPath with(Class<?> type) {
		return with(location(type));
	}

	/** Returns this class path with a file or folder added. */
	ClassPath with(Path entry) {
		Set<Path> more = new LinkedHashSet<>(this.entries);
		more.add(entry);
		return new ClassPath(more);
	}

	/** Returns the file or folder of a class. */
	static Path location(Class<?> type) {
		return Path.of(Objects.requireNonNull(type.getProtectionDomain().getCodeSource()).getLocation().getPath());
	}

	/** Returns the names of all files. */
	List<String> names() {
		return this.entries.stream().map((entry) -> String.valueOf(entry.getFileName())).sorted().toList();
	}

	/** Returns the total size of all files. */
	long bytes() {
		return this.entries.stream().mapToLong(ClassPath::bytes).sum();
	}

	private static long bytes(Path entry) {
		try (Stream<Path> files = Files.walk(entry)) {
			return files.filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return this.entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * Artifact with its dependencies.
	 */
	private record Artifact(String artifactId, String version, String scope, String classifier,
			@Nullable List<Artifact> children) {

		/**
		 * Returns the dependencies without a classifier. Applications do not need others,
		 * such as tests.
		 */
		List<Artifact> needed() {
			return (this.children == null) ? List.of()
					: this.children.stream().filter((child) -> child.classifier().isEmpty()).toList();
		}

		Path locate() {
			return ALL.stream()
				.filter(this::isAt)
				.findFirst()
				.orElseThrow(() -> new IllegalStateException(this.artifactId + " is not on the class path"));
		}

		/**
		 * Returns whether an entry is the file of this artifact, or its folder in the
		 * same build.
		 */
		private boolean isAt(Path entry) {
			return entry.endsWith(this.artifactId + "-" + this.version + ".jar")
					|| entry.endsWith(Path.of(this.artifactId, "target", "classes"));
		}

	}

}
