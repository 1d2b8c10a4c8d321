package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;

/**
 * The commands that clients send, as MONITOR shows them: those inside scripts, and the
 * log-in of the one who looks, are left out, and a call of one of our scripts bears the
 * name of its file.
 */
final class Traffic implements AutoCloseable {

	private static final Pattern LINE = Pattern
		.compile("(\\d+)\\.(\\d{6}) \\[\\d+ (\\S+)] \"([^\"]*)\"(?: \"([^\"]*)\")?.*", Pattern.DOTALL);

	private static final String END = "end-of-traffic";

	private static final Map<String, String> SCRIPTS = Stream
		.of("acquire", "acquire_shared", "release", "yield", "renew")
		.collect(Collectors.toMap((name) -> LuaScript.of(name).sha(), Function.identity()));

	private final RedisServer redis;

	private final RespClient monitor;

	private Traffic(RedisServer redis) {
		this.redis = redis;
		this.monitor = redis.connect(Duration.ofSeconds(10));
		this.monitor.call("MONITOR");
	}

	static Traffic watch(RedisServer redis) {
		return new Traffic(redis);
	}

	/** All commands so far, oldest first. */
	List<Command> read() {
		this.redis.cli("ECHO", END);
		List<Command> commands = new ArrayList<>();
		while (true) {
			Matcher line = LINE.matcher(String.valueOf(this.monitor.read()));
			if (!line.matches()) {
				throw new IllegalStateException("Not a line of MONITOR: " + line);
			}
			if (END.equals(line.group(5))) {
				return commands;
			}
			if (!line.group(3).equals("lua") && !line.group(4).equals("AUTH")) {
				long micros = Long.parseLong(line.group(1) + line.group(2));
				commands.add(new Command(name(line.group(4), line.group(5)), micros));
			}
		}
	}

	/** How often each command came so far. */
	Map<String, Long> counts() {
		return read().stream().collect(Collectors.groupingBy(Command::name, TreeMap::new, Collectors.counting()));
	}

	private static String name(String command, String argument) {
		String name = command.toLowerCase(Locale.ROOT);
		return name.equals("evalsha") ? SCRIPTS.getOrDefault(argument, name) : name;
	}

	@Override
	public void close() {
		this.monitor.close();
	}

	/**
	 * A command that Redis ran.
	 *
	 * @param name the script's name or the command in lower case
	 * @param micros the time by the clock of Redis
	 */
	record Command(String name, long micros) {
	}

}
