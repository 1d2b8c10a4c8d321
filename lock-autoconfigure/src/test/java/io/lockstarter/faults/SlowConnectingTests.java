package io.lockstarter.faults;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.redis.quorum.QuorumLockBackend;
import io.lockstarter.redis.quorum.QuorumSettings;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A first connection that takes seconds, as in a cold JVM with a small share of a
 * processor, or to a server that is busy.
 */
class SlowConnectingTests extends ProxiedRedis {

	private static final Duration LEASE = Duration.ofSeconds(20);

	/** Longer than a command may take, and shorter than connecting may. */
	private static final Duration SLOW = Duration.ofSeconds(3);

	@Test
	void requestsOutlastIt() throws Exception {
		CountDownLatch loaded = new CountDownLatch(1);
		ClientResources resources = ClientResources.builder().socketAddressResolver(new SocketAddressResolver() {

			@Override
			public SocketAddress resolve(RedisURI server) {
				try {
					loaded.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				return super.resolve(server);
			}

		}).build();
		this.registries.keep((AutoCloseable) () -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS).await());
		RedisClients clients = this.registries.keep(new RedisClients());
		assertOutlasts(
				clients.connect(address(), LettuceClientConfiguration.builder().clientResources(resources).build()),
				loaded::countDown);
	}

	/** The client library gives up earlier, and connects again. */
	@Test
	void requestsOutlastTheTimeoutOfTheClientLibrary() throws Exception {
		this.proxy.holdReplies();
		RedisClients clients = this.registries.keep(new RedisClients());
		assertOutlasts(
				clients.connect(address(),
						LettuceClientConfiguration.builder().commandTimeout(Duration.ofMillis(500)).build()),
				this.proxy::releaseHeld);
	}

	@Test
	void requestsOutlastTheTimeoutOfJedis() throws Exception {
		this.proxy.holdReplies();
		RedisClients clients = this.registries.keep(new RedisClients());
		assertOutlasts(
				clients.connect(new JedisConnectionFactory(address(),
						JedisClientConfiguration.builder().readTimeout(Duration.ofMillis(500)).build())),
				this.proxy::releaseHeld);
	}

	@Test
	void requestsToAQuorumOutlastIt() throws Exception {
		QuorumClients quorum = this.registries.keep(QuorumClients.startVoting(3, LEASE));
		List<TcpProxy> proxies = quorum.servers().stream().map(TcpProxy::to).map(this.registries::keep).toList();
		proxies.forEach(TcpProxy::holdReplies);
		QuorumSettings settings = new QuorumSettings(proxies.stream().map(TcpProxy::uri).toList(), "lock:",
				Duration.ofMinutes(1), LEASE);
		assertOutlasts(this.registries.keep(new QuorumLockBackend(settings, null)),
				() -> proxies.forEach(TcpProxy::releaseHeld));
	}

	private void assertOutlasts(LockBackend backend, Runnable end) throws Exception {
		DefaultLockRegistry registry = this.registries.open(backend, LEASE);
		List<CompletableFuture<LockHandle>> requests = Stream.of(0, 100, 5000)
			.map((millis) -> registry
				.acquireAsync(LockRequest.of("lock " + millis).waitTime(Duration.ofMillis(millis))))
			.toList();
		await().during(SLOW).atMost(PATIENCE).until(() -> requests.stream().noneMatch(CompletableFuture::isDone));
		end.run();
		for (CompletableFuture<LockHandle> request : requests) {
			request.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		}
	}

	@Test
	void requestsFailAtOnceIfTheConnectionIsRefused() {
		this.redis.kill();
		DefaultLockRegistry registry = registry(LEASE);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(PATIENCE)))
			.satisfies((failure) -> {
				assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
				assertThat(failure).hasMessageContaining("the connection was refused");
			});
	}

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port());
	}

}
