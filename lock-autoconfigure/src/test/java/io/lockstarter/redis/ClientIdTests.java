package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientId}: what happens while an application starts makes none, so
 * that a checkpoint taken then may be restored more than once.
 */
class ClientIdTests {

	private static final Duration RETENTION = Duration.ofMinutes(1);

	@Test
	void staysTheSame() {
		ClientId id = new ClientId();
		assertThat(id.get()).hasSize(32).isEqualTo(id.get()).isNotEqualTo(new ClientId().get());
	}

	@Test
	void isNotMadeBeforeALockIsAskedFor() throws Exception {
		AtomicInteger asked = new AtomicInteger();
		ClientId id = new ClientId();
		Supplier<String> counted = () -> {
			asked.incrementAndGet();
			return id.get();
		};
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = new LettuceConnectionFactory(redis.host(), redis.port());
			connections.afterPropertiesSet();
			connections.start();
			try (RedisLockBackend backend = new RedisLockBackend(connections, "lock:", RETENTION, Replication.NONE,
					counted)) {
				DefaultLockRegistry registry = new DefaultLockRegistry(backend,
						Settings.of("instance", Duration.ofSeconds(1), Duration.ofSeconds(30)), List.of());
				registry.connect();
				backend.connect().join();
				assertThat(asked).hasValue(0);
				registry.acquire(LockRequest.of("a")).close();
				assertThat(asked.get()).isPositive();
				registry.close();
			}
			connections.destroy();
		}
	}

}
