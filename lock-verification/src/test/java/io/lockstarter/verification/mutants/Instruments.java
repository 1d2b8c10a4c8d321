package io.lockstarter.verification.mutants;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests in a JVM of their own, which has a directory before its class path.
 */
final class Instruments {

	private static final String GREEN = "[instrument] green ";

	private static final String RED = "[instrument] red ";

	private static final String PACKAGE = "io.lockstarter.";

	/** Longer than any of them takes where nothing is wrong. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private Instruments() {
	}

	/**
	 * Run some tests.
	 * @return for each whether it caught something: it failed, or did not end
	 * @throws IllegalStateException if a test was not run at all
	 */
	static Map<String, Boolean> run(Path directory, List<String> instruments) {
		Path log = directory.resolve("log.txt");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
						"-XX:+EnableDynamicAgentLoading", "-Djava.awt.headless=true", Instruments.class.getName()));
		command.addAll(instruments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
		builder.environment()
			.put("CLASSPATH", directory.resolve("classes") + System.getProperty("path.separator")
					+ System.getProperty("java.class.path"));
		try {
			Process process = builder.start();
			boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			process.destroyForcibly();
			return verdicts(Files.readAllLines(log), instruments, ended);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, Boolean> verdicts(List<String> log, List<String> instruments, boolean ended) {
		Map<String, Boolean> verdicts = new LinkedHashMap<>();
		boolean hangs = false;
		for (String instrument : instruments) {
			boolean red = log.contains(RED + instrument);
			if (!red && !log.contains(GREEN + instrument)) {
				if (ended || hangs) {
					if (hangs) {
						continue;
					}
					throw new IllegalStateException(
							"%s was not run:%n%s".formatted(instrument, String.join("\n", log)));
				}
				hangs = true;
				red = true;
			}
			verdicts.put(instrument, red);
		}
		return verdicts;
	}

	/** In the JVM of their own: run each. */
	public static void main(String[] instruments) {
		for (String instrument : instruments) {
			TestExecutionSummary summary = execute(instrument);
			if (summary.getTestsSucceededCount() + summary.getTestsFailedCount() > 0) {
				boolean red = summary.getTotalFailureCount() > 0;
				summary.getFailures().forEach((failure) -> System.out.println(failure.getException()));
				System.out.println("\n" + (red ? RED : GREEN) + instrument);
			}
			else {
				summary.getFailures().forEach((failure) -> failure.getException().printStackTrace(System.out));
			}
		}
		// Threads that a mistake has left behind keep no JVM alive.
		Runtime.getRuntime().halt(0);
	}

	private static TestExecutionSummary execute(String instrument) {
		String[] place = instrument.split("#");
		PostDiscoveryFilter filter = (test) -> FilterResult.includedIf(test.getSource()
			.filter(MethodSource.class::isInstance)
			.map((source) -> ((MethodSource) source).getMethodName().equals(place[1]))
			.orElse(true));
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectClass(PACKAGE + place[0]))
			.filters(filter)
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		return listener.getSummary();
	}

	/** Whether there is such a test. */
	static boolean exists(String instrument) {
		String[] place = instrument.split("#");
		try {
			for (Class<?> type = Class.forName(PACKAGE + place[0]); type != null; type = type.getSuperclass()) {
				if (has(type.getDeclaredMethods(), place[1]) || has(type.getMethods(), place[1])) {
					return true;
				}
			}
			return false;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

	private static boolean has(Method[] methods, String name) {
		return Arrays.stream(methods).anyMatch((method) -> method.getName().equals(name));
	}

}
