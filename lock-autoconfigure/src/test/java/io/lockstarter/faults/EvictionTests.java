package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.redis.RedisServerInfo;
import io.lockstarter.testing.RespClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A Redis that makes room for the data of others by taking locks away.
 */
class EvictionTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration LONG_LEASE = Duration.ofMinutes(2);

	private static final String FILLER = "x".repeat(20_000);

	@ParameterizedTest
	@ValueSource(strings = { "volatile-random", "volatile-ttl", "volatile-lru", "allkeys-random" })
	void holderWhoseLockIsEvictedLearnsItAtTheNextRenewal(String policy) throws Exception {
		within("loss told after an eviction by " + policy, LEASE.dividedBy(2), () -> {
			LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
			limitMemory(policy);
			fillUntilGone(key("a"));
			long gone = System.nanoTime();
			assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
			assertThat(handle.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
			return Duration.ofNanos(this.events.loss().at() - gone);
		});
	}

	@Test
	void nextHolderAfterAnEvictionHasAHigherTokenAndKeepsItsLock() throws Exception {
		LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a"));
		limitMemory("volatile-ttl");
		fillUntilGone(key("a"));
		assertThat(this.redis.cli("EXISTS", fence("a"))).isEqualTo(1L);
		assertNextHolderIsSafeFrom(handle);
	}

	@Test
	void nextHolderAfterAnEvictionOfTheFenceAsWellHasAHigherTokenAndKeepsItsLock() throws Exception {
		LockHandle handle = registry(LONG_LEASE).acquire(LockRequest.of("a"));
		limitMemory("allkeys-random");
		fillUntilGone(key("a"));
		fillUntilGone(fence("a"));
		assertNextHolderIsSafeFrom(handle);
	}

	private void assertNextHolderIsSafeFrom(LockHandle handle) throws Exception {
		this.redis.cli("CONFIG", "SET", "maxmemory", "0");
		LockHandle next = observedRegistry(LONG_LEASE).acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		assertThat(isLocked("a")).isTrue();
		next.extend(LONG_LEASE);
		next.close();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void evictionIsWarnedOf() {
		limitMemory("allkeys-random");
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.redis.host(), this.redis.port()));
		factory.afterPropertiesSet();
		factory.start();
		this.registries.keep((AutoCloseable) factory::destroy);
		assertThat(RedisServerInfo.of(factory::getConnection, "lock:server").warnings()).singleElement()
			.asString()
			.contains("maxmemory-policy allkeys-random", "noeviction");
		this.redis.cli("CONFIG", "SET", "maxmemory-policy", "noeviction");
		assertThat(RedisServerInfo.of(factory::getConnection, "lock:server").warnings()).isEmpty();
	}

	private void limitMemory(String policy) {
		long used = Long.parseLong(this.redis.info("used_memory"));
		this.redis.cli("CONFIG", "SET", "maxmemory-samples", "64");
		this.redis.cli("CONFIG", "SET", "maxmemory-policy", policy);
		this.redis.cli("CONFIG", "SET", "maxmemory", String.valueOf(used + 2_000_000));
	}

	/** Store what never expires, if not said otherwise, until Redis takes a key. */
	private void fillUntilGone(String key, String... expiry) {
		try (RespClient client = this.redis.connect()) {
			for (int i = 0; client.call("EXISTS", key).equals(1L); i++) {
				assertThat(i).as("values stored, while %s is not evicted", key).isLessThan(20_000);
				store(client, "filler-" + System.nanoTime(), expiry);
			}
			assertThat(client.call("INFO").toString()).doesNotContain("evicted_keys:0\r\n");
		}
	}

	/** Redis refuses what it finds no room for, once it has taken what it may. */
	private static void store(RespClient client, String key, String... expiry) {
		List<String> command = new ArrayList<>(List.of("SET", key, FILLER));
		command.addAll(List.of(expiry));
		try {
			client.call(command.toArray(String[]::new));
		}
		catch (RespClient.ErrorReply ex) {
			assertThat(ex).hasMessageStartingWith("OOM");
		}
	}

}
