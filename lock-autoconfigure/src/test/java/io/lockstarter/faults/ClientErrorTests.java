package io.lockstarter.faults;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A client library that throws an error for a while, as when the system has no thread, no
 * memory or no class left.
 */
class ClientErrorTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(6);

	/** How often an error is thrown. */
	private final AtomicInteger errors = new AtomicInteger(2);

	private void fail(boolean condition) {
		if (condition && this.errors.getAndDecrement() > 0) {
			throw new NoClassDefFoundError("planted");
		}
	}

	private static boolean isSubscribing() {
		return Thread.currentThread().getName().equals("lock-subscribe");
	}

	@Test
	void lettuceSubscribesAgain() throws Exception {
		ClientResources resources = ClientResources.builder().socketAddressResolver(new SocketAddressResolver() {

			@Override
			public SocketAddress resolve(RedisURI server) {
				fail(isSubscribing());
				return super.resolve(server);
			}

		}).build();
		this.registries.keep((AutoCloseable) () -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS).await());
		subscribesAgain(new LettuceConnectionFactory(address(),
				LettuceClientConfiguration.builder().clientResources(resources).build()));
	}

	private <F extends RedisConnectionFactory & InitializingBean & SmartLifecycle & DisposableBean> void subscribesAgain(
			F factory) throws Exception {
		DefaultLockRegistry registry = open(factory);
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(LockRequest.of("a").waitTime(PATIENCE));
		await().untilAsserted(() -> assertThat(registry.health().get(5, TimeUnit.SECONDS).details())
			.containsEntry("subscription", "up"));
		assertThat(this.errors.get()).isNotPositive();
		held.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
	}

	@Test
	void jedisConnectsToAClusterAgain() throws Exception {
		RedisCluster cluster = this.registries.keep(RedisCluster.start());
		AtomicBoolean started = new AtomicBoolean();
		DefaultLockRegistry registry = open(
				new JedisConnectionFactory(new RedisClusterConfiguration(cluster.addresses()), failing(started::get)));
		started.set(true);
		for (int i = this.errors.get(); i > 0; i--) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ZERO)))
				.withMessageContaining("planted");
		}
		registry.acquire(LockRequest.of("a")).close();
	}

	/** A client that fails to connect while a condition applies. */
	private JedisClientConfiguration failing(BooleanSupplier condition) {
		return JedisClientConfiguration.builder()
			.customizeClientConfig((config) -> config.hostAndPortMapper((server) -> {
				fail(condition.getAsBoolean());
				return server;
			}))
			.build();
	}

	private <F extends RedisConnectionFactory & InitializingBean & SmartLifecycle & DisposableBean> DefaultLockRegistry open(
			F factory) throws Exception {
		this.registries.keep(factory::destroy);
		factory.afterPropertiesSet();
		factory.start();
		LockBackend backend = this.registries.keep(new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1)));
		return this.registries.open(backend, LEASE);
	}

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
	}

}
