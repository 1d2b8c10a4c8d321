package io.lockstarter.faults;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.core.NamedLock;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a lock of a quorum costs each server in commands, counted by Redis.
 */
class QuorumCommandCountTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int CYCLES = 50;

	private final Registries registries = new Registries();

	private final QuorumClients quorum = QuorumClients.startVoting(3, LEASE);

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
		this.quorum.close();
	}

	/**
	 * Seven to acquire and four to release, since a proposal may reach a slow server
	 * after the release: each tenure's end is marked.
	 */
	@Test
	void uncontendedCycleRunsElevenCommandsInItsScripts() {
		NamedLock lock = this.registries.open(this.quorum.connect(), LEASE).get("a");
		CommandStats[] fresh = stats();
		cycle(lock, 1);
		awaitCycles(fresh, 1);
		CommandStats[] before = stats();
		cycle(lock, CYCLES);
		awaitCycles(before, CYCLES);
		for (int i = 0; i < before.length; i++) {
			Map<String, Long> calls = new TreeMap<>(server(i).stats().minus(before[i]).calls());
			calls.remove("evalsha");
			assertThat(calls).isEqualTo(of(CYCLES));
		}
	}

	private static Map<String, Long> of(long cycles) {
		return Map.of("time", cycles, "get", cycles, "exists", cycles, "hmget", 3 * cycles, "hset", 3 * cycles,
				"pexpire", cycles, "del", cycles);
	}

	/** A majority is enough for the holder; the last server hears of it as well. */
	private void awaitCycles(CommandStats[] before, int cycles) {
		for (int i = 0; i < before.length; i++) {
			int index = i;
			await().until(() -> server(index).stats().minus(before[index]).calls("evalsha") == 2L * cycles);
		}
	}

	private CommandStats[] stats() {
		return this.quorum.servers().stream().map(RedisServer::stats).toArray(CommandStats[]::new);
	}

	private RedisServer server(int index) {
		return this.quorum.servers().get(index);
	}

	private static void cycle(NamedLock lock, int times) {
		for (int i = 0; i < times; i++) {
			lock.lock();
			lock.unlock();
		}
	}

}
