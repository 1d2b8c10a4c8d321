package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Jedis, which blocks and does not reconnect by itself, as a Redis goes away and returns.
 */
class JedisFaultTests extends RedisOfItsOwn {

	/** What other tests of this JVM have left. */
	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	private static final Duration LEASE = Duration.ofSeconds(6);

	@Test
	void hungServerFailsRequestsInTime() throws Exception {
		within("requests failed of a server that hangs", LEASE.dividedBy(6).plusSeconds(3), () -> {
			DefaultLockRegistry registry = open();
			this.redis.stop();
			long begin = System.nanoTime();
			List<Future<LockHandle>> requests = List.of("a", "b", "c", "d", "e", "f", "g", "h")
				.stream()
				.map((name) -> async(() -> registry.acquire(LockRequest.of(name))))
				.toList();
			for (Future<LockHandle> request : requests) {
				assertThat(request).failsWithin(PATIENCE)
					.withThrowableThat()
					.havingCause()
					.isInstanceOfSatisfying(LockBackendException.class,
							(failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
			}
			Duration took = since(begin);
			this.redis.resume();
			await().ignoreExceptions().until(() -> {
				registry.acquire(LockRequest.of("a")).close();
				return true;
			});
			return took;
		});
	}

	@Test
	void keepsNoMoreThreadsThanItNeeds() throws Exception {
		DefaultLockRegistry registry = open();
		for (int i = 0; i < 100; i++) {
			registry.acquire(LockRequest.of("lock-" + i)).close();
		}
		assertThat(threads("lock-jedis")).isBetween(1L, 5L);
	}

	@Test
	void requestsOutlastARestart() throws Exception {
		DefaultLockRegistry registry = open();
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.redis.restart();
		registry.acquire(LockRequest.of("other")).close();
		assertThat(held.isValid()).isTrue();
	}

	@Test
	void subscribesAgainAndWakesThen() throws Exception {
		DefaultLockRegistry one = open();
		DefaultLockRegistry two = open();
		LockHandle held = one.acquire(LockRequest.of("a"));
		Future<LockHandle> waiter = async(() -> two.acquire(LockRequest.of("a")));
		await().until(() -> !subscriber().isEmpty());
		String before = subscriber();
		this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
		await().until(() -> !subscriber().isEmpty() && !subscriber().equals(before));
		held.close();
		assertThat(waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isValid()).isTrue();
	}

	@Test
	void downServerIsReportedAsSuch() {
		this.redis.kill();
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(new JedisConnectionFactory(address())),
				LEASE);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ZERO)))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE));
	}

	@Test
	void leavesNoThreadBehind() throws Exception {
		DefaultLockRegistry one = open();
		DefaultLockRegistry two = open();
		LockHandle held = one.acquire(LockRequest.of("a"));
		Future<?> waiter = async(() -> {
			two.acquire(LockRequest.of("a")).close();
			return null;
		});
		await().until(() -> !subscriber().isEmpty());
		held.close();
		waiter.get();
		this.registries.close();
		await().untilAsserted(() -> assertThat(threads("lock-jedis") + threads("lock-subscribe")).isZero());
	}

	private long threads(String name) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.before.contains(thread) && thread.getName().equals(name))
			.count();
	}

	/** The id of the client that is subscribed, or nothing. */
	private String subscriber() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST", "TYPE", "pubsub")).split(" ", 2)[0].strip();
	}

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
	}

	private DefaultLockRegistry open() {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(new JedisConnectionFactory(address())),
				LEASE, this.events);
		Registries.warmUp(registry);
		return registry;
	}

}
