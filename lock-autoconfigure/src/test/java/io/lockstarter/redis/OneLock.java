package io.lockstarter.redis;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The scene of tests that send single commands for one lock and look at its keys.
 */
abstract class OneLock {

	static RedisServer redis;

	final String name = "lock-" + System.nanoTime();

	final String key = "lock:{" + this.name + "}";

	final String fence = this.key + ":fence";

	final String waiters = this.key + ":waiters";

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

	final ScriptClient client() {
		return new ScriptClient(this.clients.connect(redis.host(), redis.port()), this.name);
	}

	final boolean exists(String anyKey) {
		return Long.valueOf(1).equals(redis.cli("EXISTS", anyKey));
	}

	final Map<String, String> hash(String anyKey) {
		List<?> entries = (List<?>) Objects.requireNonNull(redis.cli("HGETALL", anyKey));
		Map<String, String> hash = new TreeMap<>();
		for (int i = 0; i < entries.size(); i += 2) {
			hash.put(entries.get(i).toString(), entries.get(i + 1).toString());
		}
		return hash;
	}

	/** Let a client that waits have been silent for some time longer. */
	final void age(ScriptClient silent, long millis) {
		String field = "w:" + silent.id();
		String[] parts = Objects.requireNonNull(hash(this.fence).get(field)).split(" ", 3);
		redis.cli("HSET", this.fence, field,
				"%s %d %s".formatted(parts[0], Long.parseLong(parts[1]) - millis * 1000, parts[2]));
	}

}
