package io.lockstarter.verification.history.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.TcpProxy;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.worker.Worker;
import io.lockstarter.verification.history.worker.Worker.Request;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * Ends the work on a stage, looking for what is left of it.
 */
public final class Ending {

	private static final Duration PROMPTLY = Duration.ofSeconds(1);

	/** Redis keeps the waiters of a lock that long after the last has asked. */
	private static final Duration WAITERS = Duration.ofSeconds(10);

	/** The key of the last token of all locks of a slot. */
	private static final Pattern FENCE = Pattern.compile(".*fence:\\{\\w+}");

	/** What PTTL says of a key that does not expire. */
	private static final Duration ENDLESS = Duration.ofMillis(-1);

	private final Stage stage;

	private final List<String> leaks = new ArrayList<>();

	/**
	 * Prepares the end of a stage.
	 * @param stage the stage, with all faults healed
	 */
	public Ending(Stage stage) {
		this.stage = stage;
	}

	/**
	 * Return what was found to be left.
	 * @return the findings, none of which should be
	 */
	public List<String> leaks() {
		return this.leaks;
	}

	/**
	 * Lets all JVMs come to an end of what they do.
	 */
	public void finish() {
		tellAll(Request.FINISH);
	}

	/**
	 * Looks for traces in Redis of clients that have neither locks nor waiting requests.
	 * @param idle the ids of the clients
	 */
	public void lookForTraces(Set<String> idle) {
		// Writes that a failover has lost may bring back what was released before it
		boolean forgets = this.stage.scenario().topology().claim() == Claim.FENCING;
		Duration patience = forgets ? this.stage.scenario().longestLease().plus(PROMPTLY) : PROMPTLY;
		report(patience, () -> tracesOf(idle));
	}

	private List<String> tracesOf(Set<String> idle) {
		List<String> traces = new ArrayList<>();
		try (RespClient redis = this.stage.redis().connect()) {
			for (String key : this.stage.keys()) {
				String lock = "lock:{" + key + "}";
				strings(redis.call("HKEYS", lock)).filter((field) -> field.indexOf(':') > 0)
					.filter((tenure) -> idle.contains(tenure.substring(0, tenure.indexOf(':'))))
					.forEach((tenure) -> traces.add("%s is held by an idle client".formatted(lock)));
				strings(redis.call("ZRANGE", lock + ":waiters", "0", "-1"))
					.filter((channel) -> idle.contains(channel.substring(channel.lastIndexOf(':') + 1)))
					.forEach((channel) -> traces.add("%s is waited for by an idle client".formatted(lock)));
			}
		}
		return traces;
	}

	/**
	 * Looks whether all permits can be had at once, now that nobody has any.
	 */
	public void takePermits() {
		String missing = this.stage.instances().get(0).ask(Request.TAKE_PERMITS);
		if (!missing.isEmpty()) {
			this.leaks.add(missing);
		}
	}

	/**
	 * Closes all clients, and look for threads, connections, subscriptions and keys that
	 * they leave behind.
	 */
	public void close() {
		tellAll(Request.CLOSE);
		report(PROMPTLY, this::connections);
		report(Duration.ZERO, this::unexplainedKeys);
	}

	private List<String> connections() {
		List<String> open = new ArrayList<>();
		int connections = this.stage.proxies().stream().mapToInt(TcpProxy::connections).sum();
		if (connections > 0) {
			open.add(connections + " connections are open");
		}
		strings(this.stage.redis().cli("PUBSUB", "CHANNELS", "lock:*"))
			.forEach((channel) -> open.add(channel + " is subscribed to"));
		return open;
	}

	private List<String> unexplainedKeys() {
		List<String> unexplained = new ArrayList<>();
		try (RespClient redis = this.stage.redis().connect()) {
			strings(redis.call("KEYS", "*")).forEach((key) -> {
				Duration left = Duration.ofMillis(Long.parseLong(String.valueOf(redis.call("PTTL", key))));
				boolean endless = left.equals(ENDLESS) && !FENCE.matcher(key).matches();
				if (endless || left.compareTo(longest(key)) > 0) {
					unexplained.add(String.format(Locale.ROOT, "%s is left for %d ms", key, left.toMillis()));
				}
			});
		}
		return unexplained;
	}

	private Duration longest(String key) {
		Duration lease = key.contains(Worker.WARM_UP) ? Worker.WARM_UP_LEASE : this.stage.scenario().longestLease();
		if (key.endsWith(":clients")) {
			return Worker.RETENTION;
		}
		return key.endsWith(":waiters") ? WAITERS : lease;
	}

	private void tellAll(Request request) {
		this.stage.instances().forEach((instance) -> instance.tell(request));
		for (Instance instance : this.stage.instances()) {
			String left = instance.answer();
			if (!left.isEmpty()) {
				this.leaks.add(String.format(Locale.ROOT, "JVM %d: %s", instance.number(), left));
			}
		}
	}

	/** Report what is still found after some time. */
	private void report(Duration patience, Callable<List<String>> look) {
		List<String> found = new ArrayList<>();
		try {
			await().pollInSameThread().pollDelay(Duration.ZERO).atMost(patience.plus(PROMPTLY)).until(() -> {
				found.clear();
				found.addAll(look.call());
				return found.isEmpty();
			});
		}
		catch (ConditionTimeoutException ex) {
			this.leaks.addAll(found);
		}
	}

	private static Stream<String> strings(@Nullable Object reply) {
		return (reply instanceof List<?> list) ? list.stream().map(String::valueOf) : Stream.empty();
	}

}
