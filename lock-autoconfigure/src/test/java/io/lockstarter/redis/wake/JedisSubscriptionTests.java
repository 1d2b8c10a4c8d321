package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.core.LockThreads;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.client.ClientFactory;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.ScriptCall;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * What a subscription over Jedis leaves of the connections of locks: each is read by one
 * thread, given back once, and logged in.
 */
class JedisSubscriptionTests {

	private static final int ROUNDS = 10;

	/** As many as Jedis keeps. */
	private static final int CONNECTIONS = 8;

	private static final String CHANNEL = "channel";

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final String PASSWORD = "secret";

	private final RedisServer redis = RedisServer.start("--requirepass", PASSWORD);

	private JedisConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void connect() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
		server.setPassword(PASSWORD);
		this.connections = new JedisConnectionFactory(server, JedisClientConfiguration.builder().usePooling().build());
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.backend = new RedisLockBackend(this.connections, "lock:", Duration.ofMinutes(1));
		await().until(this.backend::isSubscribed);
	}

	@AfterEach
	void disconnect() {
		this.backend.close();
		this.connections.destroy();
		this.redis.close();
	}

	@Test
	void brokenSubscriptionsLeaveNoConnectionBehind() {
		for (int i = 0; i < ROUNDS; i++) {
			String before = subscribers();
			cli("CLIENT", "KILL", "TYPE", "pubsub");
			await().until(() -> !before.equals(subscribers()) && subscribers().contains("sub=1"));
			await().until(this.backend::isSubscribed);
		}
		assertThat(clients()).as("connections, besides the one that asks").hasSizeLessThanOrEqualTo(CONNECTIONS);
		locksAreAnswered();
	}

	@Test
	void endedSubscriptionsLeaveNoConnectionBehind() {
		for (int i = 0; i < ROUNDS; i++) {
			this.backend.close();
			await().until(() -> subscribers().isEmpty());
			assertThat(clients()).isEmpty();
			this.backend = new RedisLockBackend(this.connections, "lock:", Duration.ofMinutes(1));
			await().until(this.backend::isSubscribed);
		}
		locksAreAnswered();
	}

	/** One that is left for another may be read once more before its thread ends. */
	@Test
	void aSubscriptionThatIsOpenedAnewIsHeard() {
		Queue<String> heard = new ConcurrentLinkedQueue<>();
		try (RedisClient client = client();
				WakeChannel channel = new WakeChannel(LockThreads.daemons("lock-subscribe"),
						this.connections::getConnection, () -> List.of(CHANNEL), heard::add, () -> {
						}, (failure) -> {
						}, client)) {
			for (int i = 0; i < ROUNDS; i++) {
				String message = "message " + i;
				await().until(channel::ensureSubscribed);
				cli("PUBLISH", CHANNEL, message);
				await().until(() -> heard.contains(message));
				channel.reopen();
			}
		}
	}

	/** Otherwise its thread would go on to read, and keep the connection. */
	@Test
	void aSubscriptionWhoseEndCannotBeSentIsHungUp() {
		try (RedisClient client = client(); Jedis jedis = new Jedis(this.redis.host(), this.redis.port())) {
			jedis.auth(PASSWORD);
			CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> jedis.subscribe(new BinaryJedisPubSub() {
			}, ScriptCall.bytes(CHANNEL)));
			await().until(() -> subscribers().lines().count() == 2);
			RedisConnectionFailureException failure = new RedisConnectionFailureException("Broken pipe");
			assertThatException().isThrownBy(() -> client.unsubscribe(unsendable(jedis, failure), false))
				.isSameAs(failure);
			assertThat(reading).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(JedisConnectionException.class);
			await().until(() -> subscribers().lines().count() == 1);
		}
	}

	/** What Redis sends can be read all the same. */
	private static RedisConnection unsendable(Jedis jedis, RuntimeException failure) {
		var subscription = mock(org.springframework.data.redis.connection.Subscription.class);
		willThrow(failure).given(subscription).close();
		RedisConnection connection = mock();
		given(connection.getSubscription()).willReturn(subscription);
		given(connection.getNativeConnection()).willReturn(jedis);
		return connection;
	}

	private RedisClient client() {
		return ClientFactory.create(this.connections, false, Duration.ZERO, Runnable::run, () -> {
		}, new ScriptCall(LuaScript.ECHO, List.of(), List.of()));
	}

	/** By all connections that there are besides the subscription. */
	private void locksAreAnswered() {
		List<CompletableFuture<?>> replies = new ArrayList<>();
		for (int i = 0; i < 10 * CONNECTIONS; i++) {
			replies.add(this.backend.holders("name-" + i));
		}
		assertThat(CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))).succeedsWithin(SOON);
	}

	private String subscribers() {
		return String.valueOf(cli("CLIENT", "LIST", "TYPE", "pubsub")).strip();
	}

	private List<String> clients() {
		return String.valueOf(cli("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> !line.contains("cmd=client"))
			.toList();
	}

	private Object cli(String... command) {
		return this.redis.cli(command);
	}

}
