package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.contract.Actor;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A failure that belongs to one request is told to that one: others who wait for the same
 * name get the lock.
 */
class OwnFailureTests {

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private static final Duration SHORT = Duration.ofMillis(60);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), EngineTests.LEASE, null, false, 0), List.of());

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@ParameterizedTest
	@EnumSource
	void failsOnlyTheOneWhoseShortLeaseMakesTheCommandTimeOut(LockType type) {
		CompletableFuture<LockHandle> brief = request(LockRequest.of("name").type(type).leaseTime(SHORT));
		ScriptedBackend.Ask unanswered = this.backend.asked();
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		CompletableFuture<LockHandle> alike = request(LockRequest.of("name").type(type).leaseTime(SHORT));
		assertThat(failure(brief).reason()).isEqualTo(Reason.TIMEOUT);
		ScriptedBackend.Ask own = this.backend.asked();
		assertThat(own.command().lease()).isEqualTo(EngineTests.LEASE);
		assertThat(this.backend.released().command().tenure()).isEqualTo(unanswered.command().tenure());
		own.grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
		assertThat(alike).isNotDone();
	}

	@Test
	void failsOnlyTheThreadWhoseShortLeaseMakesTheCommandTimeOut() {
		Future<LockHandle> brief = this.actor.ask(() -> this.registry.acquire(LockRequest.of("name").leaseTime(SHORT)));
		this.backend.asked();
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(brief));
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	@Test
	void failsOnlyTheOneThatDoesNotWait() {
		CompletableFuture<LockHandle> attempt = request(
				LockRequest.of("name").leaseTime(SHORT).waitTime(Duration.ZERO));
		this.backend.asked();
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		assertThat(failure(attempt).reason()).isEqualTo(Reason.TIMEOUT);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	/** They would make up for a long timeout with many short ones. */
	@Test
	void failsThoseTooWhoHaveWaitedAsLongAsForALongLease() {
		List<CompletableFuture<LockHandle>> requests = new ArrayList<>();
		LockRequest brief = LockRequest.of("name").leaseTime(Duration.ofSeconds(9)).waitTime(Duration.ZERO);
		for (int i = 0; i < 5; i++) {
			requests.add(request(brief));
		}
		requests.forEach((request) -> assertThat(failure(request).reason()).isEqualTo(Reason.TIMEOUT));
		assertThat(this.backend.asks).as("two timeouts of 1.5 s are longer than one of 2 s").hasSizeBetween(1, 2);
	}

	@Test
	void failsAllIfTheTimeoutIsTheSameForAll() {
		CompletableFuture<LockHandle> first = request(LockRequest.of("name"));
		CompletableFuture<LockHandle> second = request(LockRequest.of("name").leaseTime(Duration.ofMinutes(1)));
		this.backend.asked().fail(Reason.TIMEOUT);
		assertThat(failure(first).reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(failure(second).reason()).isEqualTo(Reason.TIMEOUT);
	}

	@ParameterizedTest
	@EnumSource
	void failsOnlyTheOneThatTheBackendCannotServe(LockType type) {
		CompletableFuture<LockHandle> unserved = request(LockRequest.of("name").type(type));
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		this.backend.asked().fail(Reason.NOT_SUPPORTED);
		assertThat(failure(unserved).reason()).isEqualTo(Reason.NOT_SUPPORTED);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	@Test
	void failsNobodyIfTheOneItBelongsToHasGone() {
		CompletableFuture<LockHandle> unserved = request(LockRequest.of("name"));
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		ScriptedBackend.Ask asked = this.backend.asked();
		unserved.cancel(false);
		asked.fail(Reason.NOT_SUPPORTED);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	@Test
	void failsOneThatTheBackendCannotServeThoughItStandsInTheQueue() {
		CompletableFuture<LockHandle> unserved = request(LockRequest.of("name"));
		this.backend.asked().refuse(PLACE);
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.NOT_SUPPORTED);
		assertThat(failure(unserved).reason()).isEqualTo(Reason.NOT_SUPPORTED);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
	}

	/**
	 * Else one whose timeout is too short for the network would be in the way for ever.
	 */
	@Test
	void letsThoseWithALongerTimeoutPassOneThatStandsInTheQueue() {
		CompletableFuture<LockHandle> brief = request(LockRequest.of("name").leaseTime(SHORT));
		this.backend.asked().refuse(PLACE);
		CompletableFuture<LockHandle> other = request(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked();
		ScriptedBackend.Ask own = this.backend.asked();
		assertThat(own.command().lease()).isEqualTo(EngineTests.LEASE);
		own.grant(1);
		assertThat(Actor.resultOf(other).isValid()).isTrue();
		assertThat(brief).isNotDone();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ")
	void refusesWhatTheBackendCannotServeBeforeItQueues(LockType type) {
		CompletableFuture<LockHandle> holder = request(LockRequest.of("name"));
		this.backend.asked().grant(1);
		Actor.resultOf(holder);
		CompletableFuture<LockHandle> waiting = request(LockRequest.of("name"));
		this.backend.longestLease = Duration.ofMinutes(10);
		LockRequest request = LockRequest.of("name").type(type).leaseTime(Duration.ofMinutes(11));
		assertThat(failure(request(request)).reason()).isEqualTo(Reason.NOT_SUPPORTED);
		Future<LockHandle> thread = this.actor.ask(() -> this.registry.acquire(request));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(thread))
			.withMessageContaining("name");
		assertThat(this.registry.waitingCount()).isOne();
		assertThat(waiting).isNotDone();
	}

	private CompletableFuture<LockHandle> request(LockRequest request) {
		return this.registry.acquireAsync(request);
	}

	private static LockBackendException failure(CompletableFuture<?> request) {
		List<LockBackendException> failures = new ArrayList<>(1);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(request))
			.satisfies(failures::add);
		return failures.get(0);
	}

}
