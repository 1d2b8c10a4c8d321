package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.testing.RespClient;

/**
 * Tracer of the commands in Redis by MONITOR. Not used during measurements, because
 * MONITOR slows Redis down slightly.
 */
final class CommandTracer {

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private static final String LAST = "benchmark-trace-ends";

	private final Entry entry;

	private final CompletableFuture<CommandTrace> trace;

	private CommandTracer(Entry entry) {
		this.entry = entry;
		RespClient monitor = entry.connect(TIMEOUT);
		monitor.call("MONITOR");
		this.trace = CompletableFuture.supplyAsync(() -> read(monitor));
	}

	static CommandTracer start(Entry entry) {
		return new CommandTracer(entry);
	}

	CommandTrace stop() {
		this.entry.call("ECHO", LAST);
		return this.trace.join();
	}

	private static CommandTrace read(RespClient monitor) {
		try (monitor) {
			CommandTrace trace = new CommandTrace(new TreeMap<>(), new TreeMap<>());
			for (String line = next(monitor); !line.contains(LAST); line = next(monitor)) {
				Map<String, Long> counts = line.contains(" lua] \"") ? trace.scripted() : trace.sent();
				counts.merge(command(line), 1L, Long::sum);
			}
			return trace;
		}
	}

	private static String next(RespClient monitor) {
		return String.valueOf(monitor.read());
	}

	/**
	 * Returns the command in a line such as {@code 1700000000.12 [0 lua] "get" "key"}.
	 */
	private static String command(String line) {
		int start = line.indexOf("] \"") + 3;
		return line.substring(start, line.indexOf('"', start)).toLowerCase(Locale.ROOT);
	}

}
