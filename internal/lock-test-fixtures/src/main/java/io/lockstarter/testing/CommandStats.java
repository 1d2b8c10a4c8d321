package io.lockstarter.testing;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Numbers of calls of each Redis command. Commands inside scripts and failed calls count.
 * The commands of this fixture do not count.
 *
 * @param calls the numbers of calls by lower-case command name, with subcommands such as
 * {@code client|setinfo}
 */
public record CommandStats(Map<String, Long> calls) {

	private static final String PREFIX = "cmdstat_";

	public CommandStats {
		calls = new TreeMap<>(calls);
		// Commands of this fixture
		calls.keySet().removeAll(Set.of("info", "config|resetstat", "auth"));
	}

	/**
	 * Reads the numbers through a function that sends a command, such as
	 * {@code redisServer::cli}.
	 */
	public static CommandStats of(Function<String[], @Nullable Object> redis) {
		String info = String.valueOf(redis.apply(new String[] { "INFO", "commandstats" }));
		Map<String, Long> calls = new TreeMap<>();
		info.lines().filter((line) -> line.startsWith(PREFIX)).forEach((line) -> {
			String name = line.substring(PREFIX.length(), line.indexOf(":calls="));
			String count = line.substring(line.indexOf('=') + 1, line.indexOf(','));
			calls.put(name, Long.valueOf(count));
		});
		return new CommandStats(calls);
	}

	public long calls(String command) {
		return this.calls.getOrDefault(command.toLowerCase(Locale.ROOT), 0L);
	}

	public CommandStats plus(CommandStats other) {
		Map<String, Long> sum = new TreeMap<>(this.calls);
		other.calls.forEach((name, count) -> sum.merge(name, count, Long::sum));
		return new CommandStats(sum);
	}

	public CommandStats minus(CommandStats before) {
		Map<String, Long> delta = new TreeMap<>(this.calls);
		before.calls.forEach((name, count) -> delta.merge(name, -count, Long::sum));
		delta.values().removeIf((count) -> count == 0);
		return new CommandStats(delta);
	}

	public long total() {
		return this.calls.values().stream().mapToLong(Long::longValue).sum();
	}

	@Override
	public String toString() {
		return this.calls.toString();
	}

}
