package io.lockstarter.faults;

import java.time.Duration;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

/**
 * A Redis that answers, but refuses.
 */
class ServerStateTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Renewed every second, with another two for a machine under load. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(3);

	@Test
	void replicaIsATypedErrorUntilItIsMasterAgain() throws Exception {
		DefaultLockRegistry registry = registry(LEASE);
		registry.acquire(LockRequest.of("a")).close();
		becomeReplica();
		assertRefused(registry, "a", Reason.READ_ONLY);
		becomeMaster();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void lockSurvivesATimeAsReplicaThatIsShorterThanTheLease() throws Exception {
		LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
		becomeReplica();
		await().until(() -> this.events.failedRenewals.get() > 0);
		becomeMaster();
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 1);
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void lockIsLostByTheDeadlineWhileRedisIsAReplica() throws Exception {
		LockHandle handle = observedRegistry(Duration.ofMillis(1200)).acquire(LockRequest.of("a"));
		becomeReplica();
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(this.events.failedRenewals.get()).isPositive();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
	}

	@Test
	void releaseRefusedByAReplicaIsMadeUpForLater() throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		becomeReplica();
		handle.close();
		await().untilAtomic(this.events.unconfirmedReleases, equalTo(1));
		assertThat(isLocked("a")).isTrue();
		becomeMaster();
		await().until(() -> !isLocked("a"));
	}

	private void becomeReplica() {
		this.redis.cli("REPLICAOF", "127.0.0.1", "1");
	}

	private void becomeMaster() {
		this.redis.cli("REPLICAOF", "NO", "ONE");
	}

	@Test
	void busyRedisIsATypedErrorUntilItIsFree() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		registry.acquire(LockRequest.of("a")).close();
		this.redis.cli("CONFIG", "SET", "lua-time-limit", "10");
		try (RespClient other = this.redis.connect()) {
			other.send("EVAL", "while true do end", "0");
			await().until(this::isBusy);
			assertRefused(registry, "a", Reason.LOADING);
			this.redis.cli("SCRIPT", "KILL");
			await().until(() -> !isBusy());
		}
		registry.acquire(LockRequest.of("a")).close();
	}

	private boolean isBusy() {
		try {
			this.redis.cli("PING");
			return false;
		}
		catch (RespClient.ErrorReply ex) {
			return ex.getMessage().startsWith("BUSY");
		}
	}

	@Test
	void fullRedisRefusesNewLocksButKeepsAndFreesOldOnes() throws Exception {
		DefaultLockRegistry registry = observedRegistry(SHORT_LEASE);
		registry.acquire(LockRequest.of("a")).close();
		NamedLock held = registry.get("held");
		held.lock();
		this.redis.cli("CONFIG", "SET", "maxmemory", "1");
		assertRefused(registry, "a", Reason.OUT_OF_MEMORY);
		assertRefused(registry(LEASE), "held", Reason.OUT_OF_MEMORY);
		held.lock();
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 1);
		held.unlock();
		held.unlock();
		assertThat(isLocked("held")).isFalse();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
		assertThat(this.events.failedRenewals).hasValue(0);
		assertThat(this.events.unconfirmedReleases).hasValue(0);
		this.redis.cli("CONFIG", "SET", "maxmemory", "0");
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void healthIsDownWhileRedisIsFull() {
		DefaultLockRegistry registry = registry(LEASE);
		assertThat(registry.health().join().up()).isTrue();
		this.redis.cli("CONFIG", "SET", "maxmemory", "1");
		assertThat(registry.health().join()).satisfies((health) -> {
			assertThat(health.up()).isFalse();
			assertThat(health.details()).extractingByKey("error").asString().contains("OOM").contains("maxmemory");
		});
		this.redis.cli("CONFIG", "SET", "maxmemory", "0");
		assertThat(registry.health().join().up()).isTrue();
		assertThat(this.redis.cli("DBSIZE")).as("keys that the check left").isEqualTo(0L);
	}

	@Test
	void tooFewReplicasAreATypedErrorUntilThereAreEnough() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.redis.cli("CONFIG", "SET", "min-replicas-to-write", "1");
		assertRefused(registry, "a", Reason.WRITES_REFUSED);
		held.close();
		await().untilAtomic(this.events.unconfirmedReleases, equalTo(1));
		assertThat(isLocked("held")).isTrue();
		this.redis.cli("CONFIG", "SET", "min-replicas-to-write", "0");
		await().until(() -> !isLocked("held"));
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void missingOrWrongPasswordIsATypedError() throws Exception {
		RedisServer guarded = this.registries.keep(RedisServer.start("--requirepass", "secret"));
		assertRefused(as(guarded, (configuration) -> {
		}), "a", Reason.NOT_AUTHORIZED);
		assertRefused(as(guarded, (configuration) -> configuration.setPassword("wrong")), "a", Reason.NOT_AUTHORIZED);
		as(guarded, (configuration) -> configuration.setPassword("secret")).acquire(LockRequest.of("a")).close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "~* &* +@all -evalsha -eval", "~* &* +@all -hset", "~other:* &* +@all" })
	void missingPermissionIsATypedError(String rules) throws Exception {
		String[] user = ("ACL SETUSER app on >secret " + rules).split(" ");
		this.redis.cli(user);
		DefaultLockRegistry registry = as(this.redis, (configuration) -> {
			configuration.setUsername("app");
			configuration.setPassword("secret");
		});
		assertRefused(registry, "a", Reason.NOT_AUTHORIZED);
		assertThat(isLocked("a")).isFalse();
	}

	private DefaultLockRegistry as(RedisServer server, Consumer<RedisStandaloneConfiguration> login) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		login.accept(configuration);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		this.registries.keep((AutoCloseable) factory::destroy);
		return this.registries.open(
				this.registries.keep(new RedisLockBackend(factory, "lock:", Duration.ofMinutes(10))), LEASE,
				this.events);
	}

}
