package io.lockstarter.testing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisReplication}.
 */
@Tag("stress")
class RedisReplicationTests {

	private RedisReplication replication;

	private RedisServer first;

	private RedisServer second;

	@BeforeEach
	void start() {
		this.replication = RedisReplication.start(2);
		this.first = this.replication.replicas().get(0);
		this.second = this.replication.replicas().get(1);
	}

	@AfterEach
	void close() {
		this.replication.close();
	}

	@Test
	void replicasHaveWhatTheMasterWrote() {
		write("a", 2);
		assertThat(this.replication.replicas()).hasSize(2).allMatch((replica) -> has(replica, "a"));
		assertThatExceptionOfType(RespClient.ErrorReply.class).isThrownBy(() -> this.first.cli("SET", "a", "b"))
			.withMessageContaining("READONLY");
	}

	@Test
	void stoppedReplicaAcknowledgesNothingUntilResumed() {
		this.first.stop();
		write("a", 1);
		this.first.resume();
		await().until(() -> has(this.first, "a"));
		write("b", 2);
	}

	@Test
	void killedReplicaAcknowledgesNothingUntilRestarted() {
		this.first.kill();
		write("a", 1);
		this.first.restart();
		await().until(() -> has(this.first, "a"));
	}

	@Test
	void frozenReplicaMissesWritesOfADeadMaster() {
		this.replication.freeze(this.first);
		write("a", 1);
		this.replication.master().kill();
		this.first.resume();
		await().until(() -> this.first.info("master_link_status").equals("down"));
		this.replication.promote(this.first);
		assertThat(has(this.first, "a")).isFalse();
		assertThat(has(this.second, "a")).isTrue();
	}

	@Test
	void frozenReplicaCatchesUpWhenResumed() {
		this.replication.freeze(this.first);
		write("a", 1);
		this.first.resume();
		await().until(() -> has(this.first, "a"));
	}

	@Test
	void promotedReplicaStaysMasterOverARestart() {
		RedisServer former = this.replication.master();
		this.replication.promote(this.first);
		assertThat(this.replication.master()).isSameAs(this.first);
		assertThat(this.replication.replicas()).containsExactly(former, this.second);
		this.first.restart();
		assertThat(this.first.cli("SET", "a", "b")).isEqualTo("OK");
		assertThat(this.second.info("master_port")).isEqualTo(String.valueOf(former.port()));
	}

	@Test
	void demotedMasterLosesWhatOnlyItHad() {
		RedisServer former = this.replication.master();
		this.replication.promote(this.first);
		former.cli("SET", "split", "brain");
		this.first.cli("SET", "a", "b");
		this.replication.demote(former);
		this.replication.demote(this.second);
		assertThat(has(former, "split")).isFalse();
		assertThat(this.replication.replicas()).hasSize(2).allMatch((replica) -> has(replica, "a"));
	}

	private void write(String key, long acknowledgements) {
		try (RespClient client = this.replication.master().connect()) {
			client.call("SET", key, "x");
			client.call("WAIT", String.valueOf(acknowledgements), "5000");
			assertThat(client.call("WAIT", "2", "50")).isEqualTo(acknowledgements);
		}
	}

	private static boolean has(RedisServer server, String key) {
		return server.cli("EXISTS", key).equals(1L);
	}

}
