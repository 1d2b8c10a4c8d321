package io.lockstarter.redis;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisSentinels;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks work whichever way leads to Redis. The stress suite goes through the whole
 * contract of the backend on each.
 */
class TransportTests {

	private final RedisClients clients = new RedisClients();

	private final Actor waiter = new Actor();

	@AfterEach
	void disconnect() throws Exception {
		this.waiter.dismiss();
		this.clients.close();
	}

	@Test
	@Needs(Tool.TLS)
	void locksOverTls(@TempDir Path folder) throws InterruptedException {
		ServerCertificate certificate = ServerCertificate.create(folder, ServerCertificate.LOCAL);
		try (TlsRedis redis = TlsRedis.start(certificate)) {
			handsALockOn(this.clients.connect(TlsClients.address(redis), TlsClients.lettuce(certificate)),
					this.clients.connect(TlsClients.jedis(redis, certificate)));
		}
	}

	@Test
	void locksOnTheServerThatSentinelsName() throws InterruptedException {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisSentinelConfiguration address = new RedisSentinelConfiguration(sentinels.masterName(),
					Set.copyOf(sentinels.addresses()));
			handsALockOn(this.clients.connect(address), this.clients.connect(new JedisConnectionFactory(address)));
		}
	}

	/** Either client waits for the other, which tells it by a message. */
	private void handsALockOn(LockBackend one, LockBackend two) throws InterruptedException {
		try (DefaultLockRegistry lettuce = open(one); DefaultLockRegistry jedis = open(two)) {
			handOn(lettuce, jedis);
			handOn(jedis, lettuce);
		}
	}

	private void handOn(DefaultLockRegistry from, DefaultLockRegistry to) throws InterruptedException {
		LockHandle held = from.acquire(LockRequest.of("name"));
		assertThat(to.get("name").tryLock()).isFalse();
		Future<LockHandle> next = this.waiter.ask(() -> to.acquire(LockRequest.of("name")));
		await().until(() -> to.waitingCount() == 1);
		held.close();
		LockHandle gained = Actor.resultOf(next);
		assertThat(gained.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(from.get("name").tryLock()).isFalse();
		this.waiter.run(gained::close);
	}

	private static DefaultLockRegistry open(LockBackend backend) {
		return new DefaultLockRegistry(backend, Settings.of("instance", Actor.PATIENCE, Actor.PATIENCE), List.of());
	}

}
