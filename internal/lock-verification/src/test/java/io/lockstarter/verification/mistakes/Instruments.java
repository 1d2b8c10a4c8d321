package io.lockstarter.verification.mistakes;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runner of tests in a separate JVM, with a directory before its class path.
 * <p>
 * A test is identified by a prefix of its class name, relative to {@code io.lockstarter},
 * and by its method, which may be inherited. {@code redis.Redis#wakesTheClientThatWaits}
 * is a method of a class in that package whose name begins with {@code Redis}.
 */
final class Instruments {

	private static final String GREEN = "[instrument] green ";

	private static final String RED = "[instrument] red ";

	private static final String PACKAGE = "io.lockstarter.";

	/**
	 * Timeout of a run, which exceeds the duration of all tests without mistakes: 2 min.
	 */
	private static final Duration RUN_TIMEOUT = Duration.ofMinutes(2);

	private Instruments() {
	}

	/**
	 * Finds a test.
	 * @return the test class and method
	 * @throws IllegalStateException if there is no test, or more than one
	 */
	static Test find(String instrument) {
		String prefix = PACKAGE + instrument.substring(0, instrument.indexOf('#'));
		String name = instrument.substring(instrument.indexOf('#') + 1);
		List<Test> found = ReflectionSupport
			.findAllClassesInPackage(prefix.substring(0, prefix.lastIndexOf('.')),
					(type) -> !Modifier.isAbstract(type.getModifiers()),
					(type) -> type.startsWith(prefix) && type.endsWith("Tests"))
			.stream()
			.flatMap((type) -> methods(type, name).map((method) -> new Test(type, method)))
			.sorted(Comparator.comparing((Test test) -> test.type().getName().length())
				.thenComparing((test) -> test.type().getName()))
			.toList();
		if (found.stream().map(Test::method).distinct().count() != 1) {
			throw new IllegalStateException("Not one test method for %s: %s".formatted(instrument, found));
		}
		return found.get(0);
	}

	/**
	 * Returns the methods with a name. A class that needs missing libraries has none,
	 * because it could not run either.
	 */
	private static Stream<Method> methods(Class<?> type, String name) {
		try {
			return ReflectionSupport
				.findMethods(type, (method) -> method.getName().equals(name), HierarchyTraversalMode.TOP_DOWN)
				.stream();
		}
		catch (NoClassDefFoundError ex) {
			return Stream.empty();
		}
	}

	/**
	 * Runs tests.
	 * @return for each test whether it failed or did not end
	 * @throws IllegalStateException if a test did not run
	 */
	static Map<String, Boolean> run(Path directory, List<String> instruments) {
		Path log = directory.resolve("log.txt");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+EnableDynamicAgentLoading",
						"-Djava.awt.headless=true", Instruments.class.getName()));
		command.addAll(instruments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
		builder.environment()
			.put("CLASSPATH", directory.resolve("classes") + System.getProperty("path.separator")
					+ System.getProperty("java.class.path"));
		try {
			Process process = builder.start();
			boolean ended = process.waitFor(RUN_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			process.destroyForcibly();
			return verdicts(Files.readAllLines(log), instruments, ended);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, Boolean> verdicts(List<String> log, List<String> instruments, boolean ended) {
		Map<String, Boolean> verdicts = new LinkedHashMap<>();
		for (String instrument : instruments) {
			boolean red = log.contains(RED + instrument);
			if (!red && !log.contains(GREEN + instrument)) {
				if (!ended) {
					// The test hangs, and later ones did not run.
					verdicts.put(instrument, true);
					return verdicts;
				}
				throw new IllegalStateException("%s was not run:%n%s".formatted(instrument, String.join("\n", log)));
			}
			verdicts.put(instrument, red);
		}
		return verdicts;
	}

	/** Runs each test in the separate JVM. */
	public static void main(String[] instruments) {
		for (String instrument : instruments) {
			TestExecutionSummary summary = execute(find(instrument));
			if (summary.getTestsSucceededCount() + summary.getTestsFailedCount() > 0) {
				boolean red = summary.getTotalFailureCount() > 0;
				summary.getFailures().forEach((failure) -> System.out.println(failure.getException()));
				System.out.println("\n" + (red ? RED : GREEN) + instrument);
			}
			else {
				summary.getFailures().forEach((failure) -> failure.getException().printStackTrace(System.out));
			}
		}
		// Threads that a mistake leaves behind must not keep the JVM alive.
		Runtime.getRuntime().halt(0);
	}

	private static TestExecutionSummary execute(Test test) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectMethod(test.type(), test.method()))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		return listener.getSummary();
	}

	/**
	 * Test.
	 *
	 * @param type the test class
	 * @param method the method
	 */
	record Test(Class<?> type, Method method) {

		@Override
		public String toString() {
			return this.type.getName().substring(PACKAGE.length()) + "#" + this.method.getName();
		}

	}

}
