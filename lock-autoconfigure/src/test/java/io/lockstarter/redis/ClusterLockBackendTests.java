package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The Redis backend keeps the contract in a cluster.
 */
class ClusterLockBackendTests extends LockBackendContract {

	private static RedisCluster cluster;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopRedis() {
		cluster.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(new RedisClusterConfiguration(cluster.addresses()));
	}

	/** As a proxy has it that hides several shards. */
	@Test
	void renewsLocksOneByOneOnceTheirServerRefusesToRenewThemTogether() {
		RedisServer shard = cluster.masters().get(0);
		LockBackend client = this.clients.connect(shard.host(), shard.port());
		List<LockBackend.Renew> renewals = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "sharded-" + i)
			.filter((name) -> cluster.ownerOf("lock:{" + name + "}") == shard)
			.limit(3)
			.map((name) -> new LockBackend.Renew(name, new TenureId(client.clientId(), 1), 1, Duration.ofSeconds(10)))
			.toList();
		renewals.forEach((renewal) -> assertThat(client
			.acquire(new LockBackend.Acquire(renewal.name(), renewal.tenure(), LockType.REENTRANT, "holder",
					renewal.lease(), null))
			.join()).isInstanceOf(LockBackend.Granted.class));
		assertThat(client.renew(renewals)).allSatisfy((verdict) -> assertThat(verdict).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withMessageContaining("CROSSSLOT"));
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(client.renew(renewals)).allMatch((verdict) -> verdict.join().held()));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
