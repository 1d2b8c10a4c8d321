package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A failure of the backend says what it says once, followed by what the client library
 * has thrown.
 */
@ParameterizedClass
@ValueSource(strings = { "Lettuce", "Jedis" })
class FailureCauseTests {

	@Parameter
	String client;

	private final RedisClients clients = new RedisClients();

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

	@Test
	void saysOnceThatThereIsNoConnection() {
		everyWay(connect("localhost", 1)).forEach(this::assertSaidOnce);
	}

	@Test
	void saysOnceWhatRedisHasAnswered() {
		try (RedisServer redis = RedisServer.start()) {
			DefaultLockRegistry registry = connect(redis.host(), redis.port());
			redis.cli("CONFIG", "SET", "maxmemory", "1");
			everyWay(registry).subList(0, 3).forEach(this::assertSaidOnce);
		}
	}

	@Test
	void saysOnceThatThereIsNoLock() {
		try (RedisServer redis = RedisServer.start()) {
			DefaultLockRegistry registry = connect(redis.host(), redis.port());
			redis.cli("SET", "lock:{a}", "text");
			everyWay(registry).forEach(this::assertSaidOnce);
		}
	}

	private DefaultLockRegistry connect(String host, int port) {
		LockBackend backend = "Jedis".equals(this.client)
				? this.clients.connect(new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port)))
				: this.clients.connect(host, port);
		return new DefaultLockRegistry(backend, Settings.of("instance", Duration.ofMillis(100), Duration.ofSeconds(30)),
				List.of());
	}

	private static List<Callable<?>> everyWay(DefaultLockRegistry registry) {
		LockRequest request = LockRequest.of("a");
		return List.of(() -> registry.acquire(request), () -> Actor.resultOf(registry.acquireAsync(request)),
				() -> registry.acquireAll(List.of(request, LockRequest.of("b"))),
				() -> Actor.resultOf(registry.inspect("a")), () -> registry.forceRelease("a"));
	}

	private void assertSaidOnce(Callable<?> call) {
		Throwable failure = catchThrowable(call::call);
		assertThat(failure).isInstanceOf(LockBackendException.class);
		List<Throwable> ours = new ArrayList<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause.getClass().getName().startsWith("io.lockstarter.")) {
				ours.add(cause);
			}
		}
		assertThat(ours).containsExactly(failure);
	}

}
