package io.lockstarter.verification.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Model of the part of Redis that the scripts use, with a clock that is set manually.
 * Replies are {@code String}, {@code Long}, {@code List}, {@link Status} or {@code null}.
 */
final class RedisModel {

	private final Map<String, Entry> entries = new TreeMap<>();

	/** Channels with a subscriber. */
	private final Set<String> channels = new TreeSet<>();

	private final List<Message> published = new ArrayList<>();

	private long micros;

	private long millis;

	RedisModel copy() {
		RedisModel copy = new RedisModel();
		this.entries.forEach((key, entry) -> copy.entries.put(key, entry.copy()));
		copy.channels.addAll(this.channels);
		copy.micros = this.micros;
		copy.millis = this.millis;
		return copy;
	}

	void setClock(long micros) {
		setClock(micros, micros / 1000);
	}

	/**
	 * Sets the clock.
	 * @param micros the time for TIME
	 * @param millis the time for expiry
	 */
	void setClock(long micros, long millis) {
		this.micros = micros;
		this.millis = millis;
		this.entries.values().removeIf((entry) -> entry.expiry >= 0 && millis > entry.expiry);
	}

	void subscribe(String channel) {
		this.channels.add(channel);
	}

	void unsubscribe(String channel) {
		this.channels.remove(channel);
	}

	void flush() {
		this.entries.clear();
	}

	/** Returns and removes the published messages. */
	List<Message> takePublished() {
		List<Message> taken = List.copyOf(this.published);
		this.published.clear();
		return taken;
	}

	/** Returns a hash, which is empty if it does not exist. */
	Map<String, String> hash(String key) {
		Entry entry = this.entries.get(key);
		return (entry != null && entry.hash != null) ? entry.hash : Map.of();
	}

	/** Returns the scores of a sorted set, which is empty if it does not exist. */
	Map<String, Double> scores(String key) {
		Entry entry = this.entries.get(key);
		return (entry != null && entry.scores != null) ? entry.scores : Map.of();
	}

	/**
	 * Returns the expiry of a key in milliseconds, -1 if it does not expire, -2 if it
	 * does not exist.
	 */
	long expiry(String key) {
		Entry entry = this.entries.get(key);
		return (entry != null) ? entry.expiry : -2;
	}

	/** Returns a text that identifies this state, except for the clock. */
	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		this.entries.forEach((key, entry) -> text.append(key)
			.append('=')
			.append(entry.text)
			.append((entry.hash != null) ? entry.hash : "")
			.append((entry.scores != null) ? entry.scores : "")
			.append('@')
			.append(entry.expiry)
			.append('\n'));
		return text.append(this.channels).toString();
	}

	@Nullable Object call(String command, List<String> arguments) {
		String key = arguments.isEmpty() ? "" : arguments.get(0);
		List<String> rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
		return switch (command) {
			case "TIME" -> List.of(Long.toString(this.micros / 1_000_000), Long.toString(this.micros % 1_000_000));
			case "PUBLISH" -> publish(key, rest.get(0));
			case "TYPE" -> new Status(type(key));
			case "EXISTS" -> arguments.stream().filter(this.entries::containsKey).count();
			case "DEL" -> (this.entries.remove(key) != null) ? 1L : 0L;
			case "GET" -> get(key);
			case "SET" -> set(key, rest);
			case "PTTL" -> pttl(key);
			case "PEXPIRE" ->
				expire(key, this.millis + integer(rest.get(0)), rest.subList(1, rest.size()).contains("GT"));
			case "PEXPIREAT" -> expire(key, integer(rest.get(0)), false);
			default -> command.startsWith("Z") ? sortedSet(command, key, rest) : hash(command, key, rest);
		};
	}

	private Object publish(String channel, String text) {
		this.published.add(new Message(channel, text));
		return this.channels.contains(channel) ? 1L : 0L;
	}

	private String type(String key) {
		Entry entry = this.entries.get(key);
		if (entry == null) {
			return "none";
		}
		return (entry.hash != null) ? "hash" : (entry.scores != null) ? "zset" : "string";
	}

	private @Nullable String get(String key) {
		Entry entry = this.entries.get(key);
		if (entry != null && entry.text == null) {
			throw RedisError.wrongType();
		}
		return (entry != null) ? entry.text : null;
	}

	private @Nullable Object set(String key, List<String> rest) {
		Object reply = rest.contains("GET") ? get(key) : new Status("OK");
		this.entries.put(key, new Entry(rest.get(0), null, null));
		return reply;
	}

	private long pttl(String key) {
		Entry entry = this.entries.get(key);
		if (entry == null) {
			return -2;
		}
		return (entry.expiry < 0) ? -1 : Math.max(0, entry.expiry - this.millis);
	}

	private long expire(String key, long when, boolean onlyLater) {
		Entry entry = this.entries.get(key);
		if (entry == null || (onlyLater && (entry.expiry < 0 || entry.expiry >= when))) {
			return 0;
		}
		if (when <= this.millis) {
			this.entries.remove(key);
		}
		else {
			entry.expiry = when;
		}
		return 1;
	}

	private static long integer(String number) {
		try {
			return Long.parseLong(number);
		}
		catch (NumberFormatException ex) {
			throw new RedisError("ERR value is not an integer or out of range");
		}
	}

	private @Nullable Object hash(String command, String key, List<String> rest) {
		Entry entry = this.entries.get(key);
		if (entry != null && entry.hash == null) {
			throw RedisError.wrongType();
		}
		Map<String, String> hash = (entry != null) ? entry.hash : new LinkedHashMap<>();
		switch (command) {
			case "HLEN":
				return (long) hash.size();
			case "HGET":
				return hash.get(rest.get(0));
			case "HMGET":
				List<@Nullable Object> values = new ArrayList<>();
				rest.forEach((field) -> values.add(hash.get(field)));
				return values;
			case "HKEYS":
				return new ArrayList<>(hash.keySet());
			case "HGETALL":
				List<Object> all = new ArrayList<>();
				hash.forEach((field, value) -> all.addAll(List.of(field, value)));
				return all;
			case "HDEL":
				long removed = rest.stream().filter((field) -> hash.remove(field) != null).count();
				if (entry != null && hash.isEmpty()) {
					this.entries.remove(key);
				}
				return removed;
			case "HINCRBY":
				long sum = integer(hash.getOrDefault(rest.get(0), "0")) + integer(rest.get(1));
				this.entries.computeIfAbsent(key, (none) -> new Entry(null, hash, null));
				hash.put(rest.get(0), Long.toString(sum));
				return sum;
			case "HSET":
				long added = 0;
				for (int i = 0; i < rest.size(); i += 2) {
					added += (hash.put(rest.get(i), rest.get(i + 1)) == null) ? 1 : 0;
				}
				this.entries.computeIfAbsent(key, (none) -> new Entry(null, hash, null));
				return added;
			default:
				throw new IllegalArgumentException("Not modelled: " + command);
		}
	}

	private @Nullable Object sortedSet(String command, String key, List<String> rest) {
		Entry entry = this.entries.get(key);
		if (entry != null && entry.scores == null) {
			throw RedisError.wrongType();
		}
		Map<String, Double> scores = (entry != null) ? entry.scores : new TreeMap<>();
		switch (command) {
			case "ZCARD":
				return (long) scores.size();
			case "ZADD":
				double score = Double.parseDouble(rest.get(0));
				this.entries.computeIfAbsent(key, (none) -> new Entry(null, null, scores));
				return (scores.put(rest.get(1), score) == null) ? 1L : 0L;
			case "ZREM":
				return remove(key, scores, rest.get(0));
			case "ZRANGE":
				return members(scores, Integer.parseInt(rest.get(0)), Integer.parseInt(rest.get(1)));
			case "ZPOPMIN":
				if (scores.isEmpty()) {
					return List.of();
				}
				List<Object> first = member(scores, 0);
				remove(key, scores, (String) first.get(0));
				return first;
			default:
				throw new IllegalArgumentException("Not modelled: " + command);
		}
	}

	private long remove(String key, Map<String, Double> scores, String member) {
		boolean removed = scores.remove(member) != null;
		if (scores.isEmpty()) {
			this.entries.remove(key);
		}
		return removed ? 1 : 0;
	}

	/**
	 * Returns the members between two positions. A negative position means the last one.
	 */
	private static List<Object> members(Map<String, Double> scores, int from, int to) {
		List<Object> found = new ArrayList<>();
		for (int i = from; i < scores.size() && (to < 0 || i <= to); i++) {
			found.addAll(member(scores, i));
		}
		return found;
	}

	private static List<Object> member(Map<String, Double> scores, int index) {
		Map.Entry<String, Double> member = scores.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Double>comparingByValue()
				.thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
			.skip(index)
			.findFirst()
			.orElseThrow();
		return List.of(member.getKey(), LuaNumbers.text(member.getValue()));
	}

	/**
	 * Status reply.
	 *
	 * @param text the text
	 */
	record Status(String text) {
	}

	/**
	 * Published message.
	 *
	 * @param channel the channel
	 * @param text the message
	 */
	record Message(String channel, String text) {
	}

	/**
	 * Value of a key: a string, a hash, or a sorted set.
	 */
	private static final class Entry {

		private final @Nullable String text;

		private final @Nullable Map<String, String> hash;

		private final @Nullable Map<String, Double> scores;

		private long expiry = -1;

		Entry(@Nullable String text, @Nullable Map<String, String> hash, @Nullable Map<String, Double> scores) {
			this.text = text;
			this.hash = hash;
			this.scores = scores;
		}

		Entry copy() {
			Entry copy = new Entry(this.text, (this.hash != null) ? new LinkedHashMap<>(this.hash) : null,
					(this.scores != null) ? new TreeMap<>(this.scores) : null);
			copy.expiry = this.expiry;
			return copy;
		}

	}

}
