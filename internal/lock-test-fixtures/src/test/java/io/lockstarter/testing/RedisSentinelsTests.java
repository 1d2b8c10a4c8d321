package io.lockstarter.testing;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisSentinels}.
 */
@Tag("stress")
class RedisSentinelsTests {

	private RedisSentinels sentinels;

	@BeforeEach
	void start() {
		this.sentinels = RedisSentinels.start();
	}

	@AfterEach
	void close() {
		this.sentinels.close();
	}

	@Test
	void anotherMasterTakesOverEachTimeTheMasterIsKilled() {
		List<RedisServer> replicas = this.sentinels.replicas();
		write(this.sentinels.currentMaster(), "a");
		RedisServer first = this.sentinels.killMaster();
		assertThat(first.isAlive()).isFalse();
		RedisServer second = this.sentinels.awaitFailover();
		assertThat(replicas).hasSize(2).contains(second);
		assertThat(this.sentinels.currentMaster()).isSameAs(second);
		write(second, "b");
		assertThat(this.sentinels.killMaster()).isSameAs(second);
		RedisServer third = this.sentinels.awaitFailover();
		assertThat(third).isNotIn(first, second);
		assertThat(third.cli("EXISTS", "a", "b")).isEqualTo(2L);
	}

	@Test
	void anotherMasterTakesOverWhenTheMasterHangs() {
		RedisServer master = this.sentinels.currentMaster();
		master.stop();
		assertThat(this.sentinels.awaitFailover()).isNotSameAs(master);
		master.resume();
		assertThat(master.cli("SET", "split", "brain")).isEqualTo("OK");
	}

	@Test
	void failoverLosesWhatNoReplicaGot() {
		List<RedisServer> replicas = this.sentinels.replicas();
		replicas.forEach(this.sentinels::freeze);
		this.sentinels.currentMaster().cli("SET", "a", "lost");
		this.sentinels.killMaster();
		replicas.forEach(RedisServer::resume);
		assertThat(has(this.sentinels.awaitFailover(), "a")).isFalse();
	}

	@Test
	void sentinelsAnswerAtTheirAddresses() {
		assertThat(this.sentinels.addresses()).hasSize(3)
			.containsExactlyElementsOf(this.sentinels.sentinels().stream().map(RedisServer::address).toList());
		RedisServer master = this.sentinels.currentMaster();
		List<?> address = (List<?>) this.sentinels.sentinels()
			.get(2)
			.cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", this.sentinels.masterName());
		assertThat(address).isEqualTo(List.of(master.host(), String.valueOf(master.port())));
	}

	private static void write(RedisServer master, String key) {
		try (RespClient client = master.connect()) {
			client.call("SET", key, "x");
			assertThat(client.call("WAIT", "1", "5000")).isNotEqualTo(0L);
		}
	}

	private static boolean has(RedisServer server, String key) {
		return server.cli("EXISTS", key).equals(1L);
	}

}
