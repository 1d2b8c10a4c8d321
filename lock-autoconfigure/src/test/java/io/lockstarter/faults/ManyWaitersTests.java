package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Waiting for many locks at once, which takes one subscription all the same.
 */
class ManyWaitersTests extends RedisOfItsOwn {

	private static final int LOCKS = 300;

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Redisson has 250 places for them, and the rest times out. */
	@ParameterizedTest
	@EnumSource
	void everyoneGetsALockOfHisOwn(Client client) {
		DefaultLockRegistry holder = open(client);
		DefaultLockRegistry waiter = open(client);
		List<LockHandle> held = request(holder).stream().map(CompletableFuture::join).toList();
		List<CompletableFuture<LockHandle>> waiting = request(waiter);
		await().atMost(PATIENCE).until(() -> waiter.waitingCount() == LOCKS && registered() == LOCKS);
		assertThat((List<?>) this.redis.cli("PUBSUB", "CHANNELS")).hasSizeLessThanOrEqualTo(2);
		long begin = System.nanoTime();
		held.forEach(LockHandle::close);
		waiting.forEach((request) -> assertThat(request).succeedsWithin(PATIENCE));
		report("%s: %d waiting locks handed on within %d ms", client, LOCKS, since(begin).toMillis());
		waiting.forEach((request) -> request.join().close());
	}

	private long registered() {
		return IntStream.range(0, LOCKS)
			.filter((i) -> this.redis.cli("EXISTS", key("lock-" + i) + ":waiters").equals(1L))
			.count();
	}

	private static List<CompletableFuture<LockHandle>> request(LockRegistry registry) {
		return IntStream.range(0, LOCKS)
			.mapToObj((i) -> registry.acquireAsync(LockRequest.of("lock-" + i)).toCompletableFuture())
			.toList();
	}

	private DefaultLockRegistry open(Client client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
		LockBackend backend = (client == Client.LETTUCE) ? clients.connect(address)
				: clients.connect(new JedisConnectionFactory(address));
		DefaultLockRegistry registry = this.registries.open(backend, LEASE, this.events);
		Registries.warmUp(registry);
		return registry;
	}

	/**
	 * The client libraries.
	 */
	enum Client {

		LETTUCE, JEDIS

	}

}
