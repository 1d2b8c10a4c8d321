package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Connections that are dropped on the way without a word.
 */
class SilentConnectionTests extends ProxiedRedis {

	/**
	 * Both connections are dropped on the way, by a firewall that was restarted. Without
	 * anybody's doing it would take a quarter of an hour.
	 */
	@Tag("stress")
	@ParameterizedTest
	@ValueSource(ints = { 1, 60 })
	void leavesAConnectionThatIsSilent(int timeoutSeconds) throws Exception {
		leavesAConnectionThatIsSilent(
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(timeoutSeconds)).build());
	}

	@Test
	void leavesAConnectionThatIsSilentWhereThereIsAPool() throws Exception {
		leavesAConnectionThatIsSilent(
				LettucePoolingClientConfiguration.builder().poolConfig(new GenericObjectPoolConfig<>()).build());
	}

	/** Before the lock that is held is lost. */
	private void leavesAConnectionThatIsSilent(LettuceClientConfiguration client) throws Exception {
		DefaultLockRegistry registry = open(client);
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.proxy.silenceAll();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		await().ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
			registry.acquire(LockRequest.of("a")).close();
			return true;
		});
		report("silent connection: lock granted %d ms after it fell silent", since(start).toMillis());
		assertThat(held.isValid()).isTrue();
		await().atMost(PATIENCE).until(() -> remainingLease("held").compareTo(Duration.ofSeconds(15)) > 0);
		held.close();
		assertThat(this.events.losses).isEmpty();
	}

	/** It is tried again and again, and goes on where it stopped. */
	@Tag("stress")
	@Test
	void locksCanBeHadWhenAServerThatHungGoesOn() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.redis.stop();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")));
		awaitElapsed(Duration.ofSeconds(12));
		this.redis.resume();
		await().ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
			registry.acquire(LockRequest.of("a")).close();
			return true;
		});
		held.close();
		assertThat(this.events.losses).isEmpty();
	}

	/** Redis counts a subscriber, and grants it a lock that it never hears of. */
	@Test
	void waiterLeavesASubscriptionThatIsSilent() throws Exception {
		within("lock granted after a silent subscription was left", WAKE_BOUND, () -> {
			LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
			DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
			Future<Long> granted = waiter(registry);
			awaitSubscribed(registry);
			String before = subscribers();
			this.proxy.silenceSubscriptions();
			long start = System.nanoTime();
			await().atMost(PATIENCE).until(() -> !subscribers().equals(before));
			report("silent subscription: made anew after %d ms", since(start).toMillis());
			held.close();
			long released = System.nanoTime();
			return wait(granted, released);
		});
	}

	@Tag("stress")
	@Test
	void waiterLeavesASubscriptionThatIsSilentWhereThereIsAPool() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		DefaultLockRegistry registry = open(
				LettucePoolingClientConfiguration.builder().poolConfig(new GenericObjectPoolConfig<>()).build());
		Future<Long> granted = waiter(registry);
		awaitSubscribed(registry);
		String before = subscribers();
		this.proxy.silenceSubscriptions();
		await().atMost(PATIENCE).until(() -> !subscribers().equals(before));
		awaitSubscribed(registry);
		held.close();
		assertThat(granted).succeedsWithin(PATIENCE);
	}

	private DefaultLockRegistry open(LettuceClientConfiguration client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		return this.registries.open(
				clients.connect(new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()), client),
				Duration.ofSeconds(20), this.events);
	}

	/** It would not be told that others wait, and hand the lock on for ever. */
	@Test
	void holderLeavesASubscriptionThatIsSilent() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(3));
		LockHandle held = registry.acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(registry(Duration.ofSeconds(20)));
		LockHandle other = registry.acquire(LockRequest.of("b"));
		CompletableFuture<LockHandle> next = registry.acquireAsync(LockRequest.of("b"));
		other.close();
		next.get(5, TimeUnit.SECONDS).close();
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 2);
		awaitSubscribed(registry);
		String before = subscribers();
		this.proxy.silenceSubscriptions();
		await().atMost(PATIENCE).until(() -> !subscribers().equals(before));
		held.close();
		assertThat(granted).succeedsWithin(PATIENCE);
	}

	@Test
	void healthLeavesASubscriptionThatIsSilent() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		waiter(registry);
		awaitSubscribed(registry);
		this.proxy.silenceSubscriptions();
		LockMonitor.Health silent = registry.health().get(5, TimeUnit.SECONDS);
		assertThat(silent.details()).containsEntry("subscription", "down");
		assertThat(silent.up()).as("locks can be had").isTrue();
		awaitSubscribed(registry);
		held.close();
	}

	/** The connection is dropped while Redis confirms the subscription. */
	@Tag("stress")
	@Test
	void waiterLeavesASubscriptionWhoseConfirmationIsLost() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Void> lost = this.proxy.silenceAfterSubscribing();
		waiter(registry);
		assertThat(lost).succeedsWithin(PATIENCE);
		awaitSubscribed(registry);
		held.close();
	}

	/** Redis has counted a subscriber before, and its confirmation may be on its way. */
	private void awaitSubscribed(DefaultLockRegistry registry) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(registry.health().get(5, TimeUnit.SECONDS).details())
				.as("subscribers: %s", subscribers())
				.containsEntry("subscription", "up"));
	}

	private String subscribers() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST", "TYPE", "pubsub"))
			.lines()
			.map((line) -> line.split(" ", 2)[0])
			.toList()
			.toString();
	}

}
