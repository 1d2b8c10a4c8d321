package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor.Health;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisSentinels;
import io.lockstarter.testing.RedisServer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * An application that uses all connections of its pool for longer than a lease. Every
 * message then names the pool as the cause.
 */
class ExhaustedPoolTests extends RedisOfItsOwn {

	private static final int CONNECTIONS = 2;

	private final Failures failures = new Failures();

	private final AtomicInteger requests = new AtomicInteger();

	@ParameterizedTest
	@CsvSource({ "true, -1", "true, 100", "false, -1", "false, 100" })
	void everyMessageNamesThePool(boolean unified, long maxWaitMillis) throws Exception {
		// Its users may do more than the published rules allow
		RedisServer server = this.registries.keep(RedisServer.start());
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(server.host(), server.port()), client(maxWaitMillis));
		factory.setUseUnifiedJedis(unified);
		assertOnlyThePoolIsNamed(messages(factory, List.of(server), Duration.ofSeconds(2)));
	}

	@Tag("stress")
	@ParameterizedTest
	@CsvSource({ "true, -1", "true, 100", "false, -1", "false, 100" })
	void everyMessageNamesThePoolInACluster(boolean unified, long maxWaitMillis) throws Exception {
		RedisCluster cluster = this.registries.keep(RedisCluster.start());
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisClusterConfiguration(cluster.addresses()),
				client(maxWaitMillis));
		factory.setUseUnifiedJedis(unified);
		assertOnlyThePoolIsNamed(messages(factory, cluster.masters(), Duration.ofSeconds(6)));
	}

	@Tag("stress")
	@ParameterizedTest
	@CsvSource({ "true, 100", "false, -1", "false, 100" })
	void everyMessageNamesThePoolWithSentinel(boolean unified, long maxWaitMillis) throws Exception {
		assertOnlyThePoolIsNamed(messagesWithSentinel(unified, maxWaitMillis));
	}

	/** Then nobody can tell whether a command waits for the pool or for Redis. */
	@Tag("stress")
	@Test
	void everyMessageNamesRedisAndThePoolIfJedisDoesNotShowThePool() throws Exception {
		Map<String, String> messages = messagesWithSentinel(true, -1);
		assertThePoolIsNamed(messages);
		assertThat(messages.get("request")).contains("check its load and the network", "no reply to a command in time");
	}

	private Map<String, String> messagesWithSentinel(boolean unified, long maxWaitMillis) throws Exception {
		RedisSentinels sentinels = this.registries.keep(RedisSentinels.start());
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisSentinelConfiguration(sentinels.masterName(), Set.copyOf(sentinels.addresses())),
				client(maxWaitMillis));
		factory.setUseUnifiedJedis(unified);
		return messages(factory, List.of(sentinels.currentMaster()), Duration.ofSeconds(6));
	}

	private static void assertOnlyThePoolIsNamed(Map<String, String> messages) {
		assertThePoolIsNamed(messages);
		assertThat(messages)
			.allSatisfy((what, message) -> assertThat(message).as(what).doesNotContain("check its load"));
	}

	private static void assertThePoolIsNamed(Map<String, String> messages) {
		assertThat(messages).allSatisfy((what, message) -> assertThat(message).as(what)
			.contains("(Jedis): ")
			.contains("all connections of the Jedis pool")
			.contains("raise spring.data.redis.jedis.pool.max-active")
			.contains("distributedLockConnectionFactory"));
	}

	private static JedisClientConfiguration client(long maxWaitMillis) {
		GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(CONNECTIONS);
		pool.setMaxWait(Duration.ofMillis(maxWaitMillis));
		return JedisClientConfiguration.builder()
			.readTimeout(Duration.ofSeconds(60))
			.usePooling()
			.poolConfig(pool)
			.build();
	}

	/** Everything that is said while the application uses all connections. */
	private Map<String, String> messages(JedisConnectionFactory factory, List<RedisServer> servers, Duration lease)
			throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(factory), lease, this.events,
				this.failures);
		acquire(registry, (request) -> request.leaseTime(Duration.ofMinutes(1))).close();
		LockHandle released = acquire(registry, (request) -> request.leaseTime(Duration.ofMinutes(1)));
		LockHandle held = acquire(registry, UnaryOperator.identity());
		List<Future<?>> users = useAllConnections(factory, servers);
		this.failures.renewals.clear();
		Map<String, String> messages = new LinkedHashMap<>();
		try {
			messages.put("request", String.valueOf(
					catchThrowableOfType(LockBackendException.class, () -> registry.acquire(LockRequest.of("a")))));
			CompletableFuture<Health> health = registry.health();
			released.close();
			await().atMost(PATIENCE)
				.until(() -> !this.failures.releases.isEmpty() && !this.failures.renewals.isEmpty());
			messages.put("release", this.failures.releases.element().toString());
			messages.put("renewal", this.failures.renewals.element().toString());
			messages.put("health",
					String.valueOf(health.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).details().get("error")));
			LockLoss loss = this.events.loss().loss();
			messages.put("loss", loss.toString());
			messages.put("reason of the loss", String.valueOf(loss.failedRenewal()));
			messages.put("release of the lost lock",
					String.valueOf(catchThrowableOfType(LockLostException.class, held::close)));
		}
		finally {
			for (RedisServer server : servers) {
				server.cli("RPUSH", queue(server), "1", "2");
			}
		}
		for (Future<?> each : users) {
			each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		return messages;
	}

	/**
	 * Acquire a lock that nobody has requested, however often that takes while
	 * connections are opened. So this client never waits for a lock, and no subscription
	 * takes one of the connections.
	 */
	private LockHandle acquire(DefaultLockRegistry registry, UnaryOperator<LockRequest> settings) {
		return await().pollInSameThread()
			.pollDelay(Duration.ZERO)
			.atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockBackendException.class)
			.until(() -> registry.acquire(settings.apply(LockRequest.of("lock-" + this.requests.incrementAndGet()))),
					Objects::nonNull);
	}

	/** The application waits for Redis on all of its connections. */
	private List<Future<?>> useAllConnections(JedisConnectionFactory factory, List<RedisServer> servers) {
		List<Future<?>> users = new ArrayList<>();
		for (RedisServer server : servers) {
			byte[] queue = queue(server).getBytes(UTF_8);
			for (int i = 0; i < CONNECTIONS; i++) {
				users.add(async(() -> {
					try (RedisConnection connection = factory.getConnection()) {
						return connection.listCommands().bLPop(60, queue);
					}
				}));
			}
		}
		for (RedisServer server : servers) {
			await().atMost(PATIENCE)
				.failFast("A connection was not to be had", () -> users.stream().anyMatch(Future::isDone))
				.until(() -> String.valueOf(server.cli("INFO", "clients")).contains("blocked_clients:" + CONNECTIONS));
		}
		return users;
	}

	/** Returns the name of an empty list that a server has, or would have. */
	private static String queue(RedisServer server) {
		return IntStream.range(0, 100)
			.mapToObj((i) -> "queue-" + i)
			.filter((name) -> isServed(server, name))
			.findFirst()
			.orElseThrow();
	}

	private static boolean isServed(RedisServer server, String key) {
		try {
			return Objects.equals(server.cli("LLEN", key), 0L);
		}
		catch (RuntimeException ex) {
			if (String.valueOf(ex.getMessage()).contains("MOVED")) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * Failures of which a listener was notified.
	 */
	private static final class Failures implements LockListener {

		private final Queue<Throwable> renewals = new ConcurrentLinkedQueue<>();

		private final Queue<Throwable> releases = new ConcurrentLinkedQueue<>();

		@Override
		public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
			this.renewals.add(Objects.requireNonNull(cause));
		}

		@Override
		public void releaseUnconfirmed(LockHandle lock, Throwable cause) {
			this.releases.add(cause);
		}

	}

}
