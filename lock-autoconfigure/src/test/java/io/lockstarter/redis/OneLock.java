package io.lockstarter.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.ScriptClient;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import static org.awaitility.Awaitility.await;

/**
 * The scene of tests that send single commands for one lock and look at its keys. They
 * are more exact where the clock of Redis can be set.
 */
@Tag("tool")
public abstract class OneLock {

	/** A prime, for what depends on the remainder of a time. */
	private static final Duration TICK = Duration.ofNanos(997_000);

	public static RedisServer redis;

	/** What the server goes by, or {@code null} where there is no such clock. */
	private static @Nullable SteppableClock clock;

	final String name = "lock-" + System.nanoTime();

	public final String key = "lock:{" + this.name + "}";

	/** Of all locks of its slot. */
	public final String fence = new LockScripts(new LockKeys("lock:", () -> ""), () -> "", Duration.ZERO, true,
			() -> false)
		.holders(this.name)
		.keys()
		.get(1);

	public final String clients = this.key + ":clients";

	public final String waiters = this.key + ":waiters";

	private final RedisClients connections = new RedisClients();

	@BeforeAll
	static void startRedis() {
		if (SteppableClock.isAvailable()) {
			clock = SteppableClock.create();
			redis = RedisServer.startGuarded(clock);
			clock.stop();
		}
		else {
			redis = RedisServer.start();
		}
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
		if (clock != null) {
			clock.close();
			clock = null;
		}
	}

	@AfterEach
	void disconnect() throws Exception {
		this.connections.close();
	}

	public final ScriptClient client() {
		return new ScriptClient(this.connections.connect(redis.host(), redis.port()), this.name, OneLock::tick);
	}

	public final boolean exists(String anyKey) {
		return Long.valueOf(1).equals(redis.cli("EXISTS", anyKey));
	}

	public final Map<String, String> hash(String anyKey) {
		List<?> entries = (List<?>) Objects.requireNonNull(redis.cli("HGETALL", anyKey));
		Map<String, String> hash = new TreeMap<>();
		for (int i = 0; i < entries.size(); i += 2) {
			hash.put(entries.get(i).toString(), entries.get(i + 1).toString());
		}
		return hash;
	}

	/**
	 * Let time pass for the server. Apart from this it stands still, where it can: nobody
	 * dies because the machine is slow.
	 */
	public static void pass(Duration time) {
		if (clock != null) {
			clock.step(time);
			return;
		}
		Duration end = now().plus(time);
		await().until(() -> now().compareTo(end) > 0);
	}

	private static void tick() {
		if (clock != null) {
			clock.step(TICK);
		}
	}

	private static Duration now() {
		List<?> time = (List<?>) Objects.requireNonNull(redis.cli("TIME"));
		return Duration.ofSeconds(Long.parseLong(time.get(0).toString()))
			.plus(Long.parseLong(time.get(1).toString()), ChronoUnit.MICROS);
	}

	/** Let a client that waits have been silent for some time longer. */
	public final void age(ScriptClient silent, long millis) {
		String field = "w:" + silent.id();
		String[] parts = Objects.requireNonNull(hash(this.clients).get(field)).split(" ", 3);
		redis.cli("HSET", this.clients, field,
				"%s %d %s".formatted(parts[0], Long.parseLong(parts[1]) - millis * 1000, parts[2]));
	}

}
