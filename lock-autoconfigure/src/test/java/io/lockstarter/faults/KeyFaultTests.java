package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that answers, but whose keys are not what they were, or are gone.
 */
class KeyFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Renewed every second, with another two for a machine under load. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(3);

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
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.get("a").isLocked())
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
		within("loss told after " + command, SHORT_LEASE.dividedBy(2), () -> {
			LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
			this.redis.cli(command.split(" "));
			long taken = System.nanoTime();
			Events.Lost loss = this.events.loss();
			assertThat(loss.reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
			assertThat(handle.isValid()).isFalse();
			Object after = this.redis.cli("DUMP", key("a"));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
				.satisfies((lost) -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED));
			assertThat(this.redis.cli("DUMP", key("a"))).isEqualTo(after);
			assertThat(this.events.losses).hasSize(1);
			return Duration.ofNanos(loss.at() - taken);
		});
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
	@CsvSource({ "REENTRANT, DEL lock:{a}", "FAIR, FLUSHALL", "WRITE, FLUSHALL" })
	void lockWhoseKeyIsTakenAwayIsHandedOverToNobody(LockType type, String command) throws Exception {
		DefaultLockRegistry registry = subscribedRegistry();
		LockRequest request = LockRequest.of("a").type(type);
		LockHandle first = registry.acquire(request);
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(request);
		this.redis.cli(command.split(" "));
		LockHandle elsewhere = registry(LEASE).acquire(request);
		awaitSilenceSince(first);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(first::close);
		assertThat(waiting).as("behind the new holder").isNotDone();
		elsewhere.close();
		try (LockHandle second = waiting.get()) {
			assertThat(second.fencingToken()).isGreaterThan(elsewhere.fencingToken());
		}
	}

	@Test
	void readerJoinsNoOtherWhoseKeyIsTakenAway() throws Exception {
		DefaultLockRegistry registry = subscribedRegistry();
		LockRequest reading = LockRequest.of("a").type(LockType.READ);
		LockHandle first = registry.acquire(reading);
		this.redis.cli("FLUSHALL");
		LockHandle writer = registry(LEASE).acquire(LockRequest.of("a").type(LockType.WRITE));
		writer.close();
		awaitSilenceSince(first);
		LockHandle second = registry.acquireAsync(reading).get();
		assertThat(second.fencingToken()).isGreaterThan(writer.fencingToken());
		second.releaseAsync().toCompletableFuture().get();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(first::close);
	}

	@Test
	void permitThatIsTakenAwayIsHandedOverToNobody() throws Exception {
		DefaultLockRegistry registry = subscribedRegistry();
		LockRequest request = LockRequest.of("a").permits(2);
		LockHandle first = registry.acquireAsync(request).get();
		registry.acquireAsync(request).get();
		this.redis.cli("FLUSHALL");
		LockHandle alone = registry(LEASE).acquire(LockRequest.of("a"));
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(request);
		await().until(() -> this.redis.cli("ZCARD", waiters("a")).equals(1L));
		awaitSilenceSince(first);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> first.releaseAsync().toCompletableFuture().get())
			.withCauseInstanceOf(LockLostException.class);
		alone.close();
		LockHandle third = waiting.get();
		assertThat(third.fencingToken()).isGreaterThan(alone.fencingToken());
		third.releaseAsync().toCompletableFuture().get();
	}

	/** An instance that hears of others who wait, and so may hand over locks for long. */
	private DefaultLockRegistry subscribedRegistry() throws Exception {
		DefaultLockRegistry registry = registry(LEASE);
		LockHandle held = registry(LEASE).acquire(LockRequest.of("b"));
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(LockRequest.of("b"));
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS")).size() == 1);
		held.close();
		waiting.get().releaseAsync().toCompletableFuture().get();
		return registry;
	}

	/** Wait until Redis has confirmed nothing for half a second. */
	private static void awaitSilenceSince(LockHandle handle) {
		Duration soon = LEASE.multipliedBy(99).dividedBy(100).minusMillis(502);
		await().until(() -> handle.remainingLease().compareTo(soon) < 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET text", "RPUSH x", "SET 10000000000000000", "SET 99999999999999999999", "SET ''" })
	void corruptedFenceIsATypedErrorAndLocksNothing(String command) throws Exception {
		String[] words = command.split(" ");
		this.redis.cli(words[0], fence("a"), words[1]);
		Object before = this.redis.cli("DUMP", fence("a"));
		DefaultLockRegistry registry = registry(LEASE);
		assertRefused(registry, "a", Reason.FOREIGN_KEY);
		await().until(() -> !isLocked("a"));
		assertThat(this.redis.cli("DUMP", fence("a"))).isEqualTo(before);
		this.redis.cli("DEL", fence("a"));
		registry.acquire(LockRequest.of("a")).close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void fenceCorruptedWhileHeldHindersNeitherRenewalNorRelease() throws Exception {
		LockHandle handle = observedRegistry(SHORT_LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("SET", fence("a"), "text");
		await().until(() -> this.events.renewals.get() >= 2);
		handle.close();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void corruptedMarksHinderNoReleaseAndAreATypedErrorToTheNext() throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("SET", clients("a"), "text");
		handle.close();
		assertThat(isLocked("a")).isFalse();
		assertThat(this.events.losses).isEmpty();
		assertRefused(registry(LEASE), "a", Reason.FOREIGN_KEY);
		assertThat(this.redis.cli("GET", clients("a"))).isEqualTo("text");
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "FAIR", "READ", "WRITE" })
	void messageNamesWhicheverKeyIsForeign(LockType type) throws Exception {
		DefaultLockRegistry registry = registry(LEASE);
		for (String foreign : List.of(key("a"), fence("a"), waiters("a"), clients("a"))) {
			this.redis.cli("SET", foreign, "text");
			assertThatExceptionOfType(LockBackendException.class).as(foreign)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a").type(type).waitTime(PATIENCE)))
				.withMessageContaining("remove it or change distributed-lock.key-prefix")
				.withMessageMatching(".*: (type string|no sorted set|fence) (at key |at )?%s( .*)?\\)"
					.formatted(Pattern.quote(foreign)))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.FOREIGN_KEY));
			assertThat(this.redis.cli("GET", foreign)).isEqualTo("text");
			await().until(() -> foreign.equals(key("a")) || !isLocked("a"));
			this.redis.cli("DEL", foreign);
		}
	}

	@Test
	void corruptedWaitersAreATypedErrorToThoseWhoHaveToWait() throws Exception {
		try (LockHandle held = registry(LEASE).acquire(LockRequest.of("a"))) {
			this.redis.cli("SET", waiters("a"), "text");
			assertRefused(registry(LEASE), "a", Reason.FOREIGN_KEY);
			assertThat(held.isValid()).isTrue();
			assertThat(this.redis.cli("GET", waiters("a"))).isEqualTo("text");
		}
	}

	@Test
	void corruptedWaitersHinderNoRelease() throws Exception {
		LockHandle handle = observedRegistry(LEASE).acquire(LockRequest.of("a"));
		this.redis.cli("SET", waiters("a"), "text");
		handle.close();
		await().until(() -> !isLocked("a"));
		assertThat(this.events.losses).isEmpty();
	}

	private static String waiters(String name) {
		return key(name) + ":waiters";
	}

}
