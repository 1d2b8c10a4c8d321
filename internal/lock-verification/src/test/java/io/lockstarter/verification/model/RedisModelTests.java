package io.lockstarter.verification.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.verification.mistakes.WrongScript;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the model of Redis behaves like Redis: calls of scripts have the same
 * replies, and leave the same keys.
 */
class RedisModelTests {

	private static final int CALLS = Integer.getInteger("verification.model.calls", 200_000);

	/** Number of calls in every build, enough for every kind of reply. */
	private static final int FEW_CALLS = 8_000;

	/**
	 * Script that runs another one by a clock that may be ahead, and returns the clocks
	 * and the resulting keys. The time does not advance within the script, which not all
	 * versions guarantee: the script runs only if all of it sees the same millisecond.
	 */
	private static final String OBSERVED = """
			local time = redis.call('TIME')
			local micros = time[1] * 1000000 + time[2]
			local millis = math.floor(micros / 1000)
			redis.call('SET', 'clock', '', 'PXAT', millis - 1)
			if redis.call('EXISTS', 'clock') == 1 then
			  return {}
			end
			micros = micros + table.remove(ARGV)
			local published = {}
			local function observed(call)
			  return function(name, key, argument, ...)
			    if name == 'TIME' then
			      return {string.format('%%.0f', math.floor(micros / 1000000)), string.format('%%.0f', micros %% 1000000)}
			    elseif name == 'PEXPIRE' then
			      return call('PEXPIREAT', key, millis + argument, ...)
			    elseif name == 'PTTL' then
			      local expiry = call('PEXPIRETIME', key)
			      return expiry < 0 and expiry or math.max(0, expiry - millis)
			    elseif name == 'PUBLISH' then
			      published[#published + 1] = key .. ' ' .. argument
			    end
			    if argument == nil then
			      return call(name, key)
			    end
			    return call(name, key, argument, ...)
			  end
			end
			local function body(redis)
			%s
			end
			local reply = body({call = observed(redis.call), pcall = observed(redis.pcall),
			                    REDIS_VERSION_NUM = redis.REDIS_VERSION_NUM})
			local function sorted(key)
			  local fields = redis.call('HKEYS', key)
			  table.sort(fields)
			  local pairs = {}
			  for _, field in ipairs(fields) do
			    pairs[#pairs + 1] = field
			    pairs[#pairs + 1] = redis.call('HGET', key, field)
			  end
			  return pairs
			end
			local left = {}
			for _, key in ipairs({'l:{a}', 'l:fence:{a}', 'l:{a}:waiters', 'l:{a}:clients', 'l:{a}:fence', 'l:{a}:marker'}) do
			  local kind = redis.call('TYPE', key).ok
			  left[#left + 1] = kind == 'hash' and sorted(key) or kind == 'string' and {redis.call('GET', key)}
			      or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') or {kind}
			  left[#left + 1] = redis.call('PEXPIRETIME', key)
			end
			time = redis.call('TIME')
			local taken = math.floor(time[1] * 1000 + time[2] / 1000) - millis
			return {reply, string.format('%%.0f', micros), millis, published, left, taken}
			""";

	private static final String LOCK = "l:{a}";

	private static final List<String> LOCK_KEYS = List.of(LOCK, "l:fence:{a}", LOCK + ":waiters", LOCK + ":clients");

	private static final String MARKER = LOCK + ":marker";

	private static final List<String> QUORUM_KEYS = List.of(LOCK, LOCK + ":fence", LOCK + ":waiters", LOCK + ":fence",
			MARKER);

	private static final List<String> KEYS = Stream.concat(LOCK_KEYS.stream(), Stream.of(LOCK + ":fence", MARKER))
		.toList();

	private static final List<String> CLIENTS = List.of("a".repeat(32), "b".repeat(32), "0123456789abcdef".repeat(2));

	private static final String WAKE_CHANNEL = "l:wake:" + CLIENTS.get(1);

	private long seed = 1;

	private Random random = new Random(this.seed);

	private RedisModel model = new RedisModel();

	private final Map<String, Script> scripts = new TreeMap<>();

	private final Map<String, Integer> replies = new TreeMap<>();

	private long ahead;

	private int highest;

	@Test
	void repliesAndStoresAsRedisDoes() {
		compare(FEW_CALLS);
	}

	@Tag("stress")
	@Test
	void repliesAndStoresAsRedisDoesInTheLongRun() {
		this.seed = System.nanoTime();
		this.random = new Random(this.seed);
		compare(CALLS);
	}

	private void compare(int calls) {
		System.out.printf("[RedisModelTests] seed %d%n", this.seed);
		try (RedisServer server = RedisServer.start();
				RespClient redis = server.connect();
				RespClient listener = server.connect()) {
			listener.call("SUBSCRIBE", WAKE_CHANNEL);
			this.model.subscribe(WAKE_CHANNEL);
			int compared = 0;
			for (int i = 0; i < calls; i++) {
				Call call = next(i);
				List<Object> observed = observe(redis, call);
				if (hasPaused(observed)) {
					startOver(redis);
				}
				else {
					expectSame(call, observed);
					compared++;
				}
			}
			assertThat(compared).isGreaterThan(calls / 2);
		}
		System.out.printf("[RedisModelTests] %d calls, %s%n", calls, this.replies);
		assertThat(this.replies).as("kinds of replies")
			.containsKeys(Stream.of("acquire", "acquire f", "acquire_shared")
				.flatMap((script) -> Stream.of(" 0", " base", " -base", " refused", " other").map(script::concat))
				.toArray(String[]::new))
			.containsKeys("propose base", "propose refused", "propose_shared base", "propose_shared refused",
					"release 1", "release 2", "release 3", "release 4", "yield 1", "yield 3", "yield 4",
					"yield yielded", "yield first", "cancel 1", "cancel 3", "downgrade 1", "downgrade 3",
					"force_release 1", "force_release 3", "renew 0", "renew 1", "join refused", "shorten_lease 0",
					"putback 1", "holders refused");
	}

	private List<Object> observe(RespClient redis, Call call) {
		String text = OBSERVED.formatted(script(call.script()).text());
		List<String> command = new ArrayList<>(List.of("EVAL", text, Integer.toString(call.keys().size())));
		command.addAll(call.keys());
		command.addAll(call.arguments());
		command.add(Long.toString(this.ahead));
		List<Object> observed = List.of();
		while (observed.isEmpty()) {
			observed = new ArrayList<>((List<?>) Objects.requireNonNull(redis.call(command.toArray(String[]::new))));
		}
		return observed;
	}

	/**
	 * Returns whether Redis paused within a script, which may have ended new leases.
	 */
	private static boolean hasPaused(List<Object> observed) {
		return (Long) observed.get(5) > 0;
	}

	private void startOver(RespClient redis) {
		redis.call("FLUSHALL");
		this.model = new RedisModel();
		this.model.subscribe(WAKE_CHANNEL);
	}

	private Script script(String name) {
		return this.scripts.computeIfAbsent(name,
				(script) -> new Script(script.startsWith("return") ? script : WrongScript.right(script)));
	}

	private void expectSame(Call call, List<Object> observed) {
		this.model.setClock(Long.parseLong((String) observed.get(1)), (Long) observed.get(2));
		Object reply = script(call.script()).run(this.model, call.keys(), call.arguments());
		List<String> published = this.model.takePublished()
			.stream()
			.map((message) -> message.channel() + " " + message.text())
			.toList();
		this.replies.merge(call.title() + " " + kind(reply), 1, Integer::sum);
		assertThat(reply).as("reply to %s, seed %d", call, this.seed).isEqualTo(observed.get(0));
		assertThat(published).as("messages of %s, seed %d", call, this.seed).isEqualTo(observed.get(3));
		assertThat(keys()).as("keys after %s, seed %d", call, this.seed).isEqualTo(observed.get(4));
	}

	private static String kind(Object reply) {
		Object first = (reply instanceof List<?> list) ? list.get(0) : reply;
		if (first instanceof Long number && number >= -1 && number <= 4
				&& !(reply instanceof List<?> list && list.size() > 1)) {
			return number.toString();
		}
		if (reply instanceof List<?> list && list.size() > 1) {
			return (list.size() > 3 || !(first instanceof Long number && number <= 4 && number > 0)) ? "refused"
					: (list.size() == 2) ? "yielded" : "first";
		}
		return (first instanceof Long number) ? ((number < 0) ? "-base" : "base") : "other";
	}

	private List<Object> keys() {
		List<Object> left = new ArrayList<>();
		for (String key : KEYS) {
			List<Object> content = new ArrayList<>();
			String type = ((RedisModel.Status) Objects.requireNonNull(this.model.call("TYPE", List.of(key)))).text();
			if (type.equals("hash")) {
				// Redis does not keep the order of large hashes, and no script relies on
				// it
				new TreeMap<>(this.model.hash(key)).forEach((field, value) -> content.addAll(List.of(field, value)));
			}
			else if (type.equals("zset")) {
				for (int i = 0; i < this.model.scores(key).size(); i++) {
					content.addAll((List<?>) Objects.requireNonNull(this.model.call("ZRANGE",
							List.of(key, Integer.toString(i), Integer.toString(i), "WITHSCORES"))));
				}
			}
			else {
				content.add(type.equals("string") ? this.model.call("GET", List.of(key)) : type);
			}
			left.add(content);
			left.add(this.model.expiry(key));
		}
		return left;
	}

	private Call next(int number) {
		if (number % 500 == 0) {
			this.ahead += this.random.nextInt(3_000_000);
		}
		this.highest = number / 20 + 12;
		return switch (this.random.nextInt(12)) {
			case 0, 1, 2, 3, 4 -> acquire();
			case 5, 6, 7, 8 -> release();
			case 9, 10 -> renew();
			default -> switch (this.random.nextInt(8)) {
				case 0 -> disturbance();
				case 1 -> shortenLease();
				case 2 -> putBack();
				case 3 -> new Call("holders", LOCK_KEYS, List.of());
				default -> new Call("join", List.of(MARKER), List.of(number(1, 3)));
			};
		};
	}

	private Call acquire() {
		List<String> arguments = new ArrayList<>(
				List.of(client(), sequence(), number(1, 40), number(5, 300), "holder " + number(1, 3)));
		String how = pick("", "w", "g", "p");
		long now = System.currentTimeMillis() * 1000 + this.ahead;
		boolean placed = !how.isEmpty() && this.random.nextInt(4) == 0;
		arguments
			.addAll(List.of(pick("", "", "a"), how, placed ? Long.toString(now - this.random.nextInt(90_000)) : ""));
		if (this.random.nextInt(4) > 0) {
			arguments.add(number(0, 90_000));
			boolean fair = this.random.nextInt(4) == 0;
			if (fair) {
				arguments.add("f");
			}
			return new Call(fair ? "acquire" : pick("acquire", "acquire_shared", "acquire_shared"), LOCK_KEYS,
					arguments);
		}
		arguments.addAll(List.of("", "", "", "", "", Long.toString(now + this.random.nextInt(-3_000, 15_000)),
				number(5, 20), pick("", "y")));
		return new Call(pick("propose", "propose_shared"), QUORUM_KEYS, arguments);
	}

	private Call release() {
		String[] tenure = tenure().split(":");
		List<String> arguments = new ArrayList<>(
				List.of(tenure[0], tenure[1], number(1, 40), number(5, 300), "him", pick("", "", "a")));
		String script = pick("release", "release", "release", "release", "yield", "cancel", "downgrade",
				"force_release");
		if (script.equals("yield")) {
			arguments.addAll(List.of(pick("w", "g", "g", "p"), "", number(0, 90_000), pick("x", "f", "r"), sequence()));
		}
		else {
			arguments.addAll(List.of("", "", "", "", script.equals("release") ? pick("", "", "r", "s") : ""));
		}
		arguments.addAll(List.of(pick("", "m"), pick("", "c")));
		return new Call(script, (this.random.nextInt(4) > 0) ? LOCK_KEYS : QUORUM_KEYS.subList(0, 4), arguments);
	}

	private Call shortenLease() {
		String[] tenure = tenure().split(":");
		return new Call("shorten_lease", LOCK_KEYS, List.of(tenure[0], tenure[1], number(1, 5)));
	}

	private Call putBack() {
		String[] tenure = tenure().split(":");
		long now = System.currentTimeMillis() * 1000 + this.ahead;
		return new Call("putback", QUORUM_KEYS,
				List.of(tenure[0], tenure[1], number(1, 40), number(5, 300), "holder", "", "", "", "", pick("x", "r"),
						"", "", "", Long.toString(now + this.random.nextInt(-3_000, 30_000)), number(1, 20), "",
						number(1, 3)));
	}

	private Call renew() {
		String[] tenure = tenure().split(":");
		List<String> arguments = new ArrayList<>(
				List.of(number(5, 300), tenure[0], number(1, 3), pick("0", number(1, 40)), tenure[1]));
		int tenures = this.random.nextInt(1, 3);
		if (tenures > 1) {
			arguments.add(sequence());
		}
		List<String> keys = new ArrayList<>(Collections.nCopies(tenures, LOCK));
		if (this.random.nextBoolean()) {
			keys.addAll(Collections.nCopies(tenures, LOCK + ":fence"));
		}
		return new Call("renew", keys, arguments);
	}

	/** Returns a write or a deletion by another client. */
	private Call disturbance() {
		int key = this.random.nextInt(KEYS.size());
		return switch (this.random.nextInt(3)) {
			case 0 -> new Call("return redis.call('SET', KEYS[1], 'foreign') and redis.call('PEXPIRE', KEYS[1], 10)",
					KEYS.subList(0, 1), List.of());
			case 1 -> new Call("return redis.call('PEXPIRE', KEYS[1], 5)", KEYS.subList(key, key + 1), List.of());
			default -> new Call("return redis.call('DEL', KEYS[1])", KEYS.subList(key, key + 1), List.of());
		};
	}

	/** Returns a tenure that has the lock, or any other. */
	private String tenure() {
		List<String> held = this.model.hash(LOCK).keySet().stream().filter((field) -> field.contains(":")).toList();
		return (held.isEmpty() || this.random.nextInt(3) == 0) ? client() + ":" + sequence()
				: held.get(this.random.nextInt(held.size()));
	}

	private String sequence() {
		return number(this.highest - 12, this.highest);
	}

	private String client() {
		return CLIENTS.get(this.random.nextInt(3));
	}

	private String number(int from, int to) {
		return Integer.toString(this.random.nextInt(from, to));
	}

	private String pick(String... choices) {
		return choices[this.random.nextInt(choices.length)];
	}

	private record Call(String script, List<String> keys, List<String> arguments) {

		/** Returns the name of the script, followed by f for a fair request. */
		String title() {
			return (this.script.equals("acquire") && this.arguments.contains("f")) ? "acquire f" : this.script;
		}

	}

}
