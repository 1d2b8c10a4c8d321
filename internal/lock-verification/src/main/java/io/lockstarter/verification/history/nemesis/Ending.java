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
 * End of the work on a stage, with checks for leaks.
 */
public final class Ending {

	/** Time within which traces of idle clients disappear: 1 s. */
	private static final Duration PROMPTLY = Duration.ofSeconds(1);

	/** Time for which Redis keeps the waiters of a lock after the last request: 10 s. */
	private static final Duration WAITERS = Duration.ofSeconds(10);

	/** Key of the last token of all locks of a slot. */
	private static final Pattern FENCE = Pattern.compile(".*fence:\\{\\w+}");

	/** Reply of PTTL for a key that does not expire. */
	private static final Duration ENDLESS = Duration.ofMillis(-1);

	private final Stage stage;

	private final List<String> leaks = new ArrayList<>();

	/**
	 * Creates the end of a stage.
	 * @param stage the stage, with all faults healed
	 */
	public Ending(Stage stage) {
		this.stage = stage;
	}

	/**
	 * Returns the leaks that were found.
	 * @return the leaks, which should be empty
	 */
	public List<String> leaks() {
		return this.leaks;
	}

	/**
	 * Ends the work of all JVMs.
	 */
	public void finish() {
		requestAll(Request.FINISH);
	}

	/**
	 * Checks Redis for traces of clients that have neither locks nor waiting requests.
	 * @param idle the ids of the clients
	 */
	public void checkForTraces(Set<String> idle) {
		// A failover that loses writes may restore locks that were released before
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
					.forEach((channel) -> traces.add("%s has an idle client as a waiter".formatted(lock)));
			}
		}
		return traces;
	}

	/**
	 * Checks that all permits can be acquired at once.
	 */
	public void takePermits() {
		String missing = this.stage.instances().get(0).request(Request.TAKE_PERMITS);
		if (!missing.isEmpty()) {
			this.leaks.add(missing);
		}
	}

	/**
	 * Closes all clients, and checks for threads, connections, subscriptions and keys
	 * that they leave behind.
	 */
	public void close() {
		requestAll(Request.CLOSE);
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
					unexplained.add(String.format(Locale.ROOT, "%s remains for %d ms", key, left.toMillis()));
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

	private void requestAll(Request request) {
		this.stage.instances().forEach((instance) -> instance.send(request));
		for (Instance instance : this.stage.instances()) {
			String left = instance.awaitReply();
			if (!left.isEmpty()) {
				this.leaks.add(String.format(Locale.ROOT, "JVM %d: %s", instance.number(), left));
			}
		}
	}

	/** Reports findings that remain after some time. */
	private void report(Duration patience, Callable<List<String>> check) {
		List<String> found = new ArrayList<>();
		try {
			await().pollInSameThread().pollDelay(Duration.ZERO).atMost(patience.plus(PROMPTLY)).until(() -> {
				found.clear();
				found.addAll(check.call());
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
