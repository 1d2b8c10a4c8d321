package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.redis.script.ScriptCall;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;

/**
 * Tests for the end of a {@link WakeChannel}.
 */
class WakeChannelTests {

	private static final String CHANNEL = "lock:wake:test";

	/**
	 * Closing waits for the thread that reads from the connection. That is the thread
	 * which tells of the subscription: were it to wait, nothing would be read any more.
	 */
	@Test
	void aSubscriptionThatComesAfterItsEndIsNotClosedOnTheThreadThatTellsOfIt() throws Exception {
		CompletableFuture<SubscriptionListener> subscribing = new CompletableFuture<>();
		CompletableFuture<Thread> closing = new CompletableFuture<>();
		CountDownLatch subscribed = new CountDownLatch(1);
		RedisConnection connection = mock();
		willAnswer((call) -> {
			subscribing.complete(call.getArgument(0));
			subscribed.await();
			return null;
		}).given(connection).subscribe(any(), any(byte[].class));
		willAnswer((call) -> closing.complete(Thread.currentThread())).given(connection).close();
		RedisConnectionFactory connections = mock();
		given(connections.getConnection()).willReturn(connection);
		WakeChannel channel = open(connections);
		channel.ensureOpen();
		SubscriptionListener listener = subscribing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
		channel.close();
		listener.onChannelSubscribed(ScriptCall.bytes(CHANNEL), 1);
		assertThat(closing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		subscribed.countDown();
	}

	/** A pool would give it out again, although nothing comes over it. */
	@Test
	void aConnectionThatIsLeftBeforeItsSubscriptionIsThereIsHungUp() {
		CountDownLatch left = new CountDownLatch(1);
		RedisConnection silent = mock();
		willAnswer((call) -> {
			left.await();
			throw new QueryTimeoutException("No confirmation");
		}).given(silent).subscribe(any(), any(byte[].class));
		RedisConnectionFactory connections = mock();
		given(connections.getConnection()).willReturn(silent, mock(RedisConnection.class));
		List<RedisConnection> hungUp = new CopyOnWriteArrayList<>();
		WakeChannel channel = open(connections, hungUp::add);
		channel.ensureOpen();
		then(silent).should(timeout(Actor.PATIENCE.toMillis())).subscribe(any(), any(byte[].class));
		channel.reopen();
		left.countDown();
		then(silent).should(timeout(Actor.PATIENCE.toMillis())).close();
		assertThat(hungUp).containsExactly(silent);
		channel.close();
	}

	@Test
	void nothingIsSubscribedToOnceItIsClosed() {
		RedisConnectionFactory connections = mock();
		WakeChannel channel = open(connections);
		channel.close();
		channel.ensureOpen();
		assertThat(channel.isListening()).isFalse();
		assertThat(channel.isWanted()).as("whether one was begun").isFalse();
	}

	@Test
	void aSubscriptionHasEndedWhenItIsClosed() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			WakeChannel channel = open(connections);
			await().until(channel::isListening);
			assertThat(subscriptions(redis)).hasSize(1);
			channel.close();
			await().until(() -> subscriptions(redis).isEmpty());
			assertThat(channel.isListening()).isFalse();
			connections.destroy();
		}
	}

	/** Lettuce warns of a connection that is closed twice. */
	@Test
	void closesNothingThatTheFactoryHasClosed() {
		Logger logger = (Logger) LoggerFactory.getLogger(RedisChannelHandler.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		ClientResources shared = DefaultClientResources.create();
		log.start();
		logger.addAppender(log);
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis,
					LettuceClientConfiguration.builder().clientResources(shared).build());
			RedisLockBackend backend = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1));
			await().until(backend::isListening);
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			connections.stop();
			backend.close();
			connections.destroy();
			assertThat(log.list).noneMatch((event) -> event.getLevel().isGreaterOrEqual(Level.WARN));
		}
		finally {
			shared.shutdown();
			logger.detachAppender(log);
		}
	}

	/** Requests that are late for the end of an application fail, and nothing else. */
	@Test
	void nothingIsOpenedAnewWhileConnectionsAreStopped() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			RedisLockBackend backend = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1));
			await().until(backend::isListening);
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			connections.stop();
			assertThat(backend.holders("name")).failsWithin(Actor.PATIENCE);
			assertThat(backend.isListening()).as("for all that is known").isTrue();
			connections.start();
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			await().until(() -> subscriptions(redis).size() == 1);
			backend.close();
			connections.destroy();
		}
	}

	@Test
	void theSubscriptionIsOpenedAnewAfterARestartWhereReplicasAreWaitedFor() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			RedisLockBackend backend = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1),
					new Replication(1, Duration.ofMillis(10)));
			await().until(backend::isListening);
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			connections.stop();
			connections.start();
			LockBackend.Acquire question = new LockBackend.Acquire("name", new TenureId(backend.clientId(), 1),
					LockType.REENTRANT, "test", Duration.ofSeconds(1), null);
			assertThat(backend.acquire(question)).as("without a replica").failsWithin(Actor.PATIENCE);
			await().until(() -> subscriptions(redis).size() == 1);
			backend.close();
			connections.destroy();
		}
	}

	/** It would sleep until its re-check otherwise. */
	@Test
	void aClientThatYieldsBeforeItWasEverRefusedOpensItsSubscription() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			RedisLockBackend first = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1));
			RedisLockBackend second = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1));
			assertThat(first.acquire(fair(first, 1, false)).join()).isInstanceOf(LockBackend.Granted.class);
			await().until(second::isListening);
			assertThat(second.acquire(fair(second, 1, true)).join()).isInstanceOf(LockBackend.Refused.class);
			assertThat(subscriptions(redis)).hasSize(1);
			LockBackend.Release release = new LockBackend.Release("name", new TenureId(first.clientId(), 1),
					Intent.YIELD, fair(first, 2, true));
			assertThat(first.release(release).join().position()).isPresent();
			await().until(() -> subscriptions(redis).size() == 2);
			first.close();
			second.close();
			connections.destroy();
		}
	}

	private static LettuceConnectionFactory start(RedisServer redis, LettuceClientConfiguration client) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()), client);
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	private static LockBackend.Acquire fair(RedisLockBackend backend, long sequence, boolean waits) {
		return new LockBackend.Acquire("name", new TenureId(backend.clientId(), sequence), LockType.FAIR, "test",
				Duration.ofSeconds(10),
				waits ? new LockBackend.Waiting(OptionalLong.empty(), Duration.ZERO, false) : null);
	}

	private static WakeChannel open(RedisConnectionFactory connections) {
		return open(connections, (connection) -> {
		});
	}

	private static WakeChannel open(RedisConnectionFactory connections, Consumer<RedisConnection> hangUp) {
		return new WakeChannel(connections, () -> CHANNEL, (message) -> {
		}, () -> {
		}, (failure) -> {
		}, hangUp);
	}

	private static List<?> subscriptions(RedisServer redis) {
		return (List<?>) redis.cli("PUBSUB", "CHANNELS");
	}

}
