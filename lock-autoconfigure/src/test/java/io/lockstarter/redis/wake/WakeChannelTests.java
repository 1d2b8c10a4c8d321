package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.client.Unsubscriber;
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
	 * Ending waits for the thread that reads from the connection. That is the thread
	 * which tells of the subscription: were it to wait, nothing would be read any more.
	 */
	@Test
	void aSubscriptionThatComesAfterItsEndIsNotEndedOnTheThreadThatTellsOfIt() throws Exception {
		FakeUnsubscriber unsubscriber = new FakeUnsubscriber();
		CompletableFuture<SubscriptionListener> subscribing = new CompletableFuture<>();
		WakeChannel channel = open(connections(reading(unsubscriber, subscribing)), unsubscriber);
		channel.ensureOpen();
		SubscriptionListener listener = subscribing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
		channel.close();
		assertThat(unsubscriber.unsubscribing).isNotDone();
		listener.onChannelSubscribed(ScriptCall.bytes(CHANNEL), 1);
		assertThat(unsubscriber.unsubscribing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.isNotSameAs(Thread.currentThread());
	}

	/**
	 * A pool would give it out to others, who would read each other's replies, and send
	 * what is still in its buffer once more.
	 */
	@Test
	void aConnectionIsNotLetGoWhileItIsReadOrItsEndIsBeingSent() throws Exception {
		FakeUnsubscriber unsubscriber = new FakeUnsubscriber();
		CompletableFuture<SubscriptionListener> subscribing = new CompletableFuture<>();
		RedisConnection connection = reading(unsubscriber, subscribing);
		WakeChannel channel = open(connections(connection), unsubscriber);
		channel.ensureOpen();
		subscribing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).onChannelSubscribed(ScriptCall.bytes(CHANNEL), 1);
		channel.close();
		assertThat(unsubscriber.givenBack).containsExactly(connection);
		assertThat(unsubscriber.early).isEmpty();
		assertThat(unsubscriber.letGoWhileSending).isCompletedWithValue(false);
	}

	/** Nobody would wake this client any more. */
	@Test
	void aSubscriptionThatEndsUnaskedIsOpenedAnew() {
		RedisConnection ended = mock();
		willAnswer((call) -> {
			SubscriptionListener listener = call.getArgument(0);
			listener.onChannelSubscribed(ScriptCall.bytes(CHANNEL), 1);
			listener.onChannelUnsubscribed(ScriptCall.bytes(CHANNEL), 0);
			return null;
		}).given(ended).subscribe(any(), any(byte[].class));
		given(ended.isSubscribed()).willReturn(true);
		RedisConnectionFactory connections = connections(ended);
		FakeUnsubscriber unsubscriber = new FakeUnsubscriber();
		WakeChannel channel = open(connections, unsubscriber);
		channel.ensureOpen();
		then(connections).should(timeout(Actor.PATIENCE.toMillis()).times(2)).getConnection();
		await().until(() -> unsubscriber.givenBack.contains(ended));
		channel.close();
	}

	/** A pool would give it out again, although nothing comes over it. */
	@Test
	void aConnectionThatIsLeftBeforeItsSubscriptionIsThereIsNotUsedAgain() {
		CountDownLatch left = new CountDownLatch(1);
		RedisConnection silent = mock();
		willAnswer((call) -> {
			left.await();
			throw new QueryTimeoutException("No confirmation");
		}).given(silent).subscribe(any(), any(byte[].class));
		Unsubscriber unsubscriber = mock();
		WakeChannel channel = open(connections(silent), unsubscriber);
		channel.ensureOpen();
		then(silent).should(timeout(Actor.PATIENCE.toMillis())).subscribe(any(), any(byte[].class));
		channel.reopen();
		left.countDown();
		then(unsubscriber).should(timeout(Actor.PATIENCE.toMillis())).release(silent, true);
		channel.close();
	}

	@Test
	void nothingIsSubscribedToOnceItIsClosed() {
		RedisConnectionFactory connections = mock();
		WakeChannel channel = open(connections);
		channel.close();
		channel.ensureOpen();
		assertThat(channel.ensureSubscribed()).isFalse();
		assertThat(channel.isRequested()).as("whether one was begun").isFalse();
	}

	@Test
	void aSubscriptionHasEndedWhenItIsClosed() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			WakeChannel channel = open(connections);
			await().until(channel::ensureSubscribed);
			assertThat(subscriptions(redis)).hasSize(1);
			channel.close();
			await().until(() -> subscriptions(redis).isEmpty());
			assertThat(channel.ensureSubscribed()).isFalse();
			connections.destroy();
		}
	}

	/** Lettuce warns of a connection that is closed twice. */
	@Test
	void closesNothingTwice() {
		Logger logger = (Logger) LoggerFactory.getLogger(RedisChannelHandler.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		ClientResources shared = DefaultClientResources.create();
		log.start();
		logger.addAppender(log);
		try (RedisServer redis = RedisServer.start()) {
			RedisLockBackend backend = new RedisLockBackend(
					start(redis, LettuceClientConfiguration.builder().clientResources(shared).build()), "lock:",
					Duration.ofMinutes(1));
			await().until(backend::isSubscribed);
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			backend.disconnect();
			backend.close();
			assertThat(log.list).noneMatch((event) -> event.getLevel().isGreaterOrEqual(Level.WARN));
		}
		finally {
			shared.shutdown();
			logger.detachAppender(log);
		}
	}

	@Test
	void aClientThatWasDisconnectedConnectsAnew() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			RedisLockBackend backend = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1),
					new Replication(1, Duration.ofMillis(10)));
			for (int i = 1; i <= 2; i++) {
				await().until(backend::isSubscribed);
				assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
				LockBackend.Acquire request = new LockBackend.Acquire("name " + i, new TenureId(backend.clientId(), i),
						LockType.REENTRANT, "test", Duration.ofSeconds(1), null);
				assertThat(backend.acquire(request)).as("without a replica").failsWithin(Actor.PATIENCE);
				backend.disconnect();
				await().until(() -> String.valueOf(redis.cli("CLIENT", "LIST")).lines().count() == 1);
			}
			backend.close();
			connections.destroy();
		}
	}

	@Test
	void aClientThatWasClosedConnectsNoMore() {
		try (RedisServer redis = RedisServer.start()) {
			LettuceConnectionFactory connections = start(redis, LettuceClientConfiguration.defaultConfiguration());
			RedisLockBackend backend = new RedisLockBackend(connections, "lock:", Duration.ofMinutes(1));
			assertThat(backend.holders("name")).succeedsWithin(Actor.PATIENCE);
			backend.close();
			assertThat(backend.holders("name")).failsWithin(Actor.PATIENCE);
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
			await().until(second::isSubscribed);
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

	private static RedisConnectionFactory connections(RedisConnection first) {
		RedisConnectionFactory connections = mock();
		given(connections.getConnection()).willReturn(first, mock(RedisConnection.class));
		return connections;
	}

	/** A connection which is read by the thread that subscribes, as with Jedis. */
	private static RedisConnection reading(FakeUnsubscriber unsubscriber,
			CompletableFuture<SubscriptionListener> subscribing) {
		RedisConnection connection = mock();
		willAnswer((call) -> {
			SubscriptionListener listener = call.getArgument(0);
			unsubscriber.reading = true;
			subscribing.complete(listener);
			unsubscriber.unsubscribing.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
			listener.onChannelUnsubscribed(ScriptCall.bytes(CHANNEL), 0);
			unsubscriber.letGo.countDown();
			unsubscriber.reading = false;
			return null;
		}).given(connection).subscribe(any(), any(byte[].class));
		return connection;
	}

	private static WakeChannel open(RedisConnectionFactory connections) {
		return open(connections, new FakeUnsubscriber());
	}

	private static WakeChannel open(RedisConnectionFactory connections, Unsubscriber unsubscriber) {
		return new WakeChannel(LockThreads.daemons("lock-subscribe"), connections::getConnection,
				() -> List.of(CHANNEL), (message) -> {
				}, () -> {
				}, (failure) -> {
				}, unsubscriber);
	}

	private static List<?> subscriptions(RedisServer redis) {
		return (List<?>) redis.cli("PUBSUB", "CHANNELS");
	}

	/** Gives connections back, and notes which of them were still read. */
	private static final class FakeUnsubscriber implements Unsubscriber {

		private final CompletableFuture<Thread> unsubscribing = new CompletableFuture<>();

		private final List<RedisConnection> givenBack = new CopyOnWriteArrayList<>();

		private final List<RedisConnection> early = new CopyOnWriteArrayList<>();

		private final CountDownLatch letGo = new CountDownLatch(1);

		private final CompletableFuture<Boolean> letGoWhileSending = new CompletableFuture<>();

		private volatile boolean reading;

		@Override
		public void unsubscribe(RedisConnection connection, boolean left) {
			this.unsubscribing.complete(Thread.currentThread());
			try {
				this.letGoWhileSending.complete(this.letGo.await(200, TimeUnit.MILLISECONDS));
			}
			catch (InterruptedException ex) {
				this.letGoWhileSending.completeExceptionally(ex);
			}
		}

		@Override
		public void release(RedisConnection connection, boolean left) {
			if (this.reading) {
				this.early.add(connection);
			}
			connection.close();
			this.givenBack.add(connection);
		}

	}

}
