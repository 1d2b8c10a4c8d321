package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.lettuce.core.api.async.RedisServerAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the locks' client of Lettuce takes from the connection factory of the application,
 * and what it leaves alone.
 */
class OwnClientTests {

	private final RedisServer redis = RedisServer.start();

	@AfterEach
	void stop() {
		this.redis.close();
	}

	/** Spring Data has no getter for the user. */
	@Test
	void takesUserPasswordAndDatabaseFromAUri() {
		this.redis.cli("ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all");
		this.redis.cli("ACL", "SETUSER", "default", "-eval", "-evalsha");
		String uri = "redis://locks:secret@%s:%s/3".formatted(this.redis.host(), this.redis.port());
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				LettuceConnectionFactory.createRedisConfiguration(uri));
		try (RedisLockBackend backend = backend(factory)) {
			acquire(backend);
			assertThat(backend.address()).contains("database 3 (Lettuce, user 'locks')");
		}
	}

	/**
	 * Lettuce may never complete a connection whose client is stopped in the meantime.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leavesNoThreadWheneverItIsClosed(boolean shared) throws Exception {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder settings = LettuceClientConfiguration.builder();
		ClientResources resources = ClientResources.create();
		if (shared) {
			settings.clientResources(resources);
		}
		LettuceConnectionFactory factory = start(settings.build());
		Set<Thread> before = threads();
		Random random = new Random(1);
		for (int i = 0; i < 100; i++) {
			RedisLockBackend backend = backend(factory);
			CompletableFuture<?> connected = backend.connect();
			if (random.nextBoolean()) {
				connected.join();
			}
			backend.isSubscribed();
			LockSupport.parkNanos(random.nextInt(8_000_000));
			if (random.nextInt(4) == 0) {
				backend.disconnect();
			}
			backend.close();
		}
		await().untilAsserted(() -> assertThat(threads()).filteredOn((thread) -> !before.contains(thread)).isEmpty());
		factory.destroy();
		resources.shutdown(0, 0, TimeUnit.MILLISECONDS).await();
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> Set.of("lock-connect", "lock-subscribe", "lock-unsubscribe").contains(thread.getName()))
			.collect(Collectors.toSet());
	}

	/** So it needs no thread of its own, and the application's connection stays open. */
	@Test
	void sharesThreadsButNoConnectionWithTheApplication() throws Exception {
		ClientResources resources = ClientResources.create();
		LettuceConnectionFactory factory = start(
				LettuceClientConfiguration.builder().clientResources(resources).build());
		try (RedisConnection used = factory.getConnection()) {
			Object id = id(used);
			try (RedisLockBackend backend = backend(factory)) {
				acquire(backend);
				assertThat(connections()).as("that of the application, and one for locks").hasSize(2);
			}
			await().until(() -> connections().size() == 1);
			assertThat(id(used)).isEqualTo(id);
		}
		finally {
			factory.destroy();
			resources.shutdown(0, 0, TimeUnit.MILLISECONDS);
		}
	}

	/** As when the application stops its own connections earlier. */
	@Test
	void worksOnWhenTheApplicationStopsItsOwn() {
		LettuceConnectionFactory factory = start(LettuceClientConfiguration.defaultConfiguration());
		try (RedisLockBackend backend = backend(factory)) {
			acquire(backend);
			factory.destroy();
			acquire(backend);
		}
		await().until(() -> connections().isEmpty());
	}

	private LettuceConnectionFactory start(LettuceClientConfiguration client) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.redis.host(), this.redis.port()), client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisLockBackend backend(LettuceConnectionFactory factory) {
		return new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1));
	}

	/** However long a cold JVM on a busy machine takes to connect. */
	private static void acquire(RedisLockBackend backend) {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(backend,
				Settings.of("instance", Duration.ofSeconds(5), Duration.ofSeconds(30)), List.of())) {
			await().pollInSameThread()
				.atMost(Duration.ofSeconds(60))
				.ignoreExceptionsInstanceOf(LockBackendException.class)
				.until(() -> {
					registry.acquire(LockRequest.of("a")).close();
					return true;
				});
		}
	}

	private static Object id(RedisConnection connection) throws Exception {
		Object id = ((RedisServerAsyncCommands<?, ?>) connection.getNativeConnection()).clientId().get();
		connection.ping();
		return id;
	}

	/** All connections but that of the query. */
	private List<String> connections() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST"))
			.lines()
			.filter((line) -> !line.contains(" cmd=client"))
			.toList();
	}

}
