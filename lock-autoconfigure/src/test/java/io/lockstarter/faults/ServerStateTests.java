package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
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
import org.assertj.core.util.Throwables;
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
 * A Redis that answers, but refuses, or holds something unexpected.
 */
class ServerStateTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT_LEASE = Duration.ofMillis(1200);

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
		await().until(() -> this.events.renewals.get() > before + 3);
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void lockIsLostByTheDeadlineWhileRedisIsAReplica() throws Exception {
		LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
		becomeReplica();
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(this.events.failedRenewals.get()).isGreaterThan(1);
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
		await().atMost(Duration.ofSeconds(3)).until(() -> !isLocked("a"));
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
		await().until(() -> this.events.renewals.get() > before + 4);
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
	void tooFewReplicasAreATypedErrorUntilThereAreEnough() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.redis.cli("CONFIG", "SET", "min-replicas-to-write", "1");
		assertRefused(registry, "a", Reason.WRITES_REFUSED);
		held.close();
		await().untilAtomic(this.events.unconfirmedReleases, equalTo(1));
		assertThat(isLocked("held")).isTrue();
		this.redis.cli("CONFIG", "SET", "min-replicas-to-write", "0");
		await().atMost(PATIENCE).until(() -> !isLocked("held"));
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

	@ParameterizedTest
	@ValueSource(strings = { "SET %s text", "RPUSH %s element", "SADD %s member", "HSET %s field value",
			"HSET %s 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:1 1", "HSET %s a 1 b 2", "ZADD %s 1 x" })
	void foreignKeyIsATypedErrorAndLeftUntouched(String command) throws Exception {
		this.redis.cli(command.formatted(key("a")).split(" "));
		this.redis.cli("PEXPIRE", key("a"), "60000");
		Object before = this.redis.cli("DUMP", key("a"));
		DefaultLockRegistry registry = registry(LEASE);
		assertRefused(registry, "a", Reason.FOREIGN_KEY);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.get("a").tryLock())
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.FOREIGN_KEY));
		assertThat(this.redis.cli("DUMP", key("a"))).isEqualTo(before);
		assertThat(remainingLease("a")).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(60));
		assertThat((List<?>) this.redis.cli("KEYS", "*")).hasSize(1);
		this.redis.cli("DEL", key("a"));
		registry.acquire(LockRequest.of("a")).close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "DEL lock:{a}", "FLUSHALL", "SET lock:{a} text" })
	void holderWhoseKeyIsTakenAwayLearnsItAtTheNextRenewal(String command) throws Exception {
		LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
		this.redis.cli(command.split(" "));
		long taken = System.nanoTime();
		await().pollInterval(Duration.ofMillis(5)).until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.loss().at() - taken).isLessThan(SHORT_LEASE.dividedBy(2).toNanos());
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
		assertThat(handle.isValid()).isFalse();
		Object after = this.redis.cli("DUMP", key("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
			.satisfies((lost) -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED));
		assertThat(this.redis.cli("DUMP", key("a"))).isEqualTo(after);
		assertThat(this.events.losses).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "DEL lock:{a}", "FLUSHALL", "SET lock:{a} text" })
	void holderWhoseKeyIsTakenAwayLearnsItOnUnlock(String command) throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		this.redis.cli(command.split(" "));
		Object before = this.redis.cli("DUMP", key("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
			.satisfies((lost) -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED));
		assertThat(this.redis.cli("DUMP", key("a"))).isEqualTo(before);
		await().until(() -> this.events.losses.size() == 1);
		assertThat(this.events.releases).hasValue(0);
	}

	@Test
	void holderWhoseKeyIsTakenAwayDoesNotFreeTheNextHolder() throws Exception {
		LockHandle handle = registry(LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("DEL", key("a"));
		LockHandle next = registry(LEASE).acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		next.extend(LEASE);
		next.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET lock:{a}:fence text", "RPUSH lock:{a}:fence x", "HSET lock:{a}:fence base text",
			"HSET lock:{a}:fence base 10000000000000000", "HSET lock:{a}:fence base 99999999999999999999" })
	void corruptedFenceIsATypedErrorAndLocksNothing(String command) throws Exception {
		this.redis.cli(command.split(" "));
		Object before = this.redis.cli("DUMP", key("a") + ":fence");
		DefaultLockRegistry registry = registry(LEASE);
		assertRefused(registry, "a", Reason.OTHER, Reason.FOREIGN_KEY);
		await().atMost(Duration.ofSeconds(1)).until(() -> !isLocked("a"));
		assertThat(this.redis.cli("DUMP", key("a") + ":fence")).isEqualTo(before);
		this.redis.cli("DEL", key("a") + ":fence");
		registry.acquire(LockRequest.of("a")).close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void fenceCorruptedWhileHeldHindersNeitherRenewalNorRelease() throws Exception {
		LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("SET", key("a") + ":fence", "text");
		await().until(() -> this.events.renewals.get() >= 4);
		handle.close();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void corruptedWaitersHinderNoRelease() throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("SET", key("a") + ":waiters", "text");
		handle.close();
		await().atMost(Duration.ofSeconds(1)).until(() -> !isLocked("a"));
		assertThat(this.events.losses).isEmpty();
	}

	private static void assertRefused(DefaultLockRegistry registry, String name, Reason... reasons) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of(name).waitTime(Duration.ofSeconds(5))))
			.satisfies((failure) -> {
				assertThat(failure.reason()).as(Throwables.getStackTrace(failure)).isIn((Object[]) reasons);
				assertThat(failure.lockName()).isEqualTo(name);
				assertThat(failure.mayHaveRun()).as("needs to be ended").isFalse();
			});
		assertThat(since(start)).isLessThan(Duration.ofSeconds(3));
	}

}
