package io.lockstarter.redis;

import java.time.Duration;
import java.util.OptionalLong;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisReplication;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The Redis backend keeps the contract when it waits for replicas.
 */
class ReplicatedLockBackendTests extends LockBackendContract {

	private static RedisReplication replication;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		replication = RedisReplication.start(1);
	}

	@AfterAll
	static void stopRedis() {
		replication.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(
				new RedisStandaloneConfiguration(replication.master().host(), replication.master().port()),
				new Replication(1, Duration.ofMillis(500)));
	}

	@Test
	void grantsNothingByAMessage() {
		LockBackend one = newBackend();
		LockBackend two = newBackend();
		TenureId held = new TenureId(one.clientId(), 1);
		one.acquire(acquire(held, null)).join();
		await().until(two::isSubscribed);
		TenureId wanted = new TenureId(two.clientId(), 1);
		assertThat(
				two.acquire(acquire(wanted, new LockBackend.Waiting(OptionalLong.empty(), Duration.ZERO, true))).join())
			.isInstanceOf(LockBackend.Refused.class);
		one.release(new LockBackend.Release("offered", held, Intent.LEAVE, null)).join();
		assertThat(replication.master().cli("EXISTS", "lock:{offered}")).isEqualTo(0L);
	}

	private static LockBackend.Acquire acquire(TenureId tenure, LockBackend.@Nullable Waiting waiting) {
		return new LockBackend.Acquire("offered", tenure, LockType.REENTRANT, "holder", Duration.ofSeconds(30),
				waiting);
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
