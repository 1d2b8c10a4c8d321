package io.lockstarter.benchmarks.scenario;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import io.lockstarter.benchmarks.start.FirstCall;
import io.lockstarter.benchmarks.start.LockApplication;
import io.lockstarter.benchmarks.start.RedisApplication;
import io.lockstarter.benchmarks.start.RedissonApplication;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;

/**
 * Scenario that measures the start and the first call of a small web application.
 *
 * @param starts the number of starts of each application
 * @param cached whether classes come from an AOT cache, which is written by a first start
 */
record StartScenario(int starts, boolean cached) implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.READY, Metric.FIRST_CALL, Metric.FIRST_CALL_CPU,
			Metric.CLASSES, Metric.THREADS_READY, Metric.THREADS_CALLED, Metric.IDLE_COMMANDS, Metric.ADDED_JARS);

	private static final int FIRST_WITH_CACHE = 25;

	private static final Duration LONGEST_START = Duration.ofMinutes(2);

	/** Time for commands after the start, such as those for a line in the log: 3 s. */
	private static final Duration AFTERMATH = Duration.ofSeconds(3);

	private static final Duration IDLE = Duration.ofSeconds(5);

	private static final double NANOS_PER_MILLI = 1e6;

	private static final double BYTES_PER_MEGABYTE = 1e6;

	@Override
	public String id() {
		return this.cached ? "start-cached" : "start";
	}

	private String title() {
		return "Start and first call of a web application" + (this.cached ? " with an AOT cache" : "");
	}

	@Override
	public Outcome run(Options options) {
		if (!options.selects(id())) {
			return Outcome.notRun(id(), title(), METRICS);
		}
		Optional<Path> javaHome = this.cached ? Jdks.atLeast(FIRST_WITH_CACHE, options) : Optional.of(Jdks.current());
		if (javaHome.isEmpty()) {
			return new Outcome(id(), title(), "NOT RUN: no JDK 25 or newer was found; name one with --jdk25.", METRICS,
					List.of());
		}
		List<Candidate> candidates = List.of(
				new Candidate(javaHome.get(), Outcome.WITHOUT_LOCKS, RedisApplication.class, libraries()),
				new Candidate(javaHome.get(), ContenderType.OURS.title(), LockApplication.class,
						libraries("lock-starter")),
				new Candidate(javaHome.get(), ContenderType.REDISSON.title(), RedissonApplication.class,
						libraries("redisson-spring-boot-starter")));
		try (RedisServer redis = RedisServer.start(); RespClient client = redis.connect()) {
			if (this.cached) {
				candidates.forEach((candidate) -> candidate.writeCache(redis));
			}
			for (int i = 0; i < this.starts; i++) {
				boolean last = i == this.starts - 1;
				candidates.forEach((candidate) -> candidate.start(redis, client, last));
			}
		}
		return new Outcome(id(), title(), String.format(Locale.ROOT,
				"Spring MVC on Tomcat and Spring Data Redis, alone, with Lock Starter, and with Redisson's starter, on JDK %d. From"
						+ " the start of the JVM until a call is done, which sends one command, or takes and releases a lock; medians"
						+ " of %d starts in turns. Idle are the %d s that begin %d s after the last call",
				Jdks.version(javaHome.get()), this.starts, IDLE.toSeconds(), AFTERMATH.toSeconds()), METRICS,
				candidates.stream().map((candidate) -> candidate.row(candidates.get(0).libraries)).toList());
	}

	private static ClassPath libraries(String... more) {
		List<String> artifacts = new ArrayList<>(
				List.of("spring-boot-starter-webmvc", "spring-boot-starter-data-redis"));
		artifacts.addAll(List.of(more));
		return ClassPath.of(artifacts.toArray(String[]::new));
	}

	/**
	 * Application that is started repeatedly.
	 */
	private static final class Candidate {

		private final Path javaHome;

		private final String label;

		private final Class<?> application;

		private final ClassPath libraries;

		private final List<Map<Metric, Double>> starts = new ArrayList<>();

		private List<String> jvmOptions;

		Candidate(Path javaHome, String label, Class<?> application, ClassPath libraries) {
			this.javaHome = javaHome;
			this.label = label;
			this.application = application;
			this.libraries = libraries;
			this.jvmOptions = List.of("-classpath", libraries.with(application).toString());
		}

		/**
		 * Starts the application, whose end writes a cache, and uses the cache from then
		 * on. A cache is for class paths without folders only.
		 */
		void writeCache(RedisServer redis) {
			try {
				Path folder = Files.createTempDirectory("start");
				folder.toFile().deleteOnExit();
				Path cache = folder.resolve("application.aot");
				Path jar = folder.resolve("application.jar");
				writeJar(jar);
				List.of(cache, jar).forEach((file) -> file.toFile().deleteOnExit());
				String classPath = this.libraries.with(jar).toString();
				List<String> command = new ArrayList<>(List.of(this.javaHome.resolve(Path.of("bin", "java")).toString(),
						"-XX:AOTCacheOutput=" + cache, "-classpath", classPath, this.application.getName()));
				command.addAll(List.of(arguments(redis)));
				// The application ends when its input does
				Process training = new ProcessBuilder(command).redirectErrorStream(true)
					.redirectInput(new File("/dev/null"))
					.redirectOutput(folder.resolve("log").toFile())
					.start();
				if (training.waitFor() != 0 || !Files.exists(cache)) {
					throw new IllegalStateException(
							"No cache was written:\n" + Files.readString(folder.resolve("log")));
				}
				Files.delete(folder.resolve("log"));
				this.jvmOptions = List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on", "-classpath", classPath);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

		private void writeJar(Path jar) throws IOException {
			Path classes = ClassPath.location(this.application);
			try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
					Stream<Path> files = Files
						.list(classes.resolve(this.application.getPackageName().replace('.', File.separatorChar)))) {
				for (Path file : files.toList()) {
					out.putNextEntry(
							new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
					Files.copy(file, out);
				}
			}
		}

		private static String[] arguments(RedisServer redis) {
			return new String[] { "--server.port=0", "--spring.data.redis.host=" + redis.host(),
					"--spring.data.redis.port=" + redis.port() };
		}

		void start(RedisServer redis, RespClient client, boolean idle) {
			long begun = System.nanoTime();
			try (ChildJvm jvm = ChildJvm.start(this.javaHome, this.jvmOptions, this.application, arguments(redis))) {
				FirstCall call = FirstCall.read(jvm.awaitLine(FirstCall::isIn, LONGEST_START));
				Map<Metric, Double> figures = new EnumMap<>(
						Map.of(Metric.READY, (call.readyNanos() - begun) / NANOS_PER_MILLI, Metric.FIRST_CALL,
								(call.doneNanos() - begun) / NANOS_PER_MILLI, Metric.FIRST_CALL_CPU,
								call.cpuNanos() / NANOS_PER_MILLI, Metric.CLASSES, (double) call.classes(),
								Metric.THREADS_READY, (double) call.threadsReady(), Metric.THREADS_CALLED,
								(double) call.threadsCalled()));
				if (idle) {
					figures.put(Metric.IDLE_COMMANDS, (double) idleCommands(client));
				}
				this.starts.add(figures);
			}
		}

		private static long idleCommands(RespClient client) {
			Pause.of(AFTERMATH);
			CommandStats before = CommandStats.of(client::call);
			Pause.of(IDLE);
			return CommandStats.of(client::call).minus(before).total();
		}

		Row row(ClassPath base) {
			ClassPath added = this.libraries.beyond(base);
			this.starts.forEach((start) -> start.put(Metric.ADDED_JARS, added.bytes() / BYTES_PER_MEGABYTE));
			List<String> remarks = added.entries().isEmpty() ? List.of()
					: List.of("added: " + String.join(", ", added.names()));
			return new Row(this.label, Statistics.medians(this.starts), this.starts, "", remarks);
		}

	}

}
