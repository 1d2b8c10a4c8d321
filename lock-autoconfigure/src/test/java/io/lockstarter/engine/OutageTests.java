package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.EngineInternals;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A backend that does not answer for a while: who stands in the queue asks again until
 * its own wait time is over, who has just come is told at once.
 */
class OutageTests {

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), EngineTests.LEASE, null, false, 0), List.of(this.events));

	private final Actor actor = new Actor();

	@AfterEach
	void close() {
		this.registry.close();
		this.actor.dismiss();
	}

	@ParameterizedTest
	@EnumSource
	void asksAgainForOneThatStandsInTheQueue(LockType type) {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name").type(type));
		this.backend.wake();
		this.backend.asked().fail(Reason.UNREACHABLE);
		this.backend.asked().fail(Reason.TIMEOUT);
		assertThat(request).isNotDone();
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void asksAgainForAThreadThatStandsInTheQueue(LockType type) {
		Future<LockHandle> request = this.actor.ask(() -> this.registry.acquire(LockRequest.of("name").type(type)));
		this.backend.asked().refuse(PLACE);
		this.backend.wake();
		this.backend.asked().fail(Reason.TIMEOUT);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@Test
	void asksAgainForAFixedLease() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name").leaseTime(Duration.ofSeconds(20)));
		this.backend.wake();
		this.backend.asked().fail(Reason.UNREACHABLE);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@Test
	void asksAgainWhenTheConnectionIsGone() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.connection = CompletableFuture
			.failedFuture(new LockBackendException("", Reason.UNREACHABLE, "planted", null));
		this.backend.wake();
		await().until(() -> isOutage(request));
		this.backend.connection = CompletableFuture.completedFuture("connected");
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
		assertThat(this.backend.releases).as("nothing was sent that could be unknown").isEmpty();
	}

	/** Its timer is that of the next question. */
	private boolean isOutage(CompletableFuture<?> request) {
		return !request.isDone() && this.backend.asks.isEmpty() && EngineInternals.timers(this.registry) > 0;
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.INCLUDE, names = { "UNREACHABLE", "TIMEOUT", "READ_ONLY", "LOADING", "CLUSTER_DOWN",
			"OUT_OF_MEMORY", "WRITES_REFUSED", "NOT_REPLICATED" })
	void waitsUntilWhatMayPassHasPassed(Reason reason) {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(reason);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.INCLUDE, names = { "NOT_AUTHORIZED", "FOREIGN_KEY", "CLOCKS_APART", "OTHER" })
	void tellsAllWhatSomebodyHasToPutRight(Reason reason) {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		CompletableFuture<LockHandle> next = request(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(reason);
		assertThat(failure(request).reason()).isEqualTo(reason);
		assertThat(failure(next).reason()).isEqualTo(reason);
	}

	@Test
	void failsAFirstRequestAtOnce() {
		CompletableFuture<LockHandle> request = request(LockRequest.of("name"));
		CompletableFuture<LockHandle> next = request(LockRequest.of("name"));
		this.backend.asked().fail(Reason.UNREACHABLE);
		assertThat(failure(request).reason()).isEqualTo(Reason.UNREACHABLE);
		assertThat(failure(next).reason()).isEqualTo(Reason.UNREACHABLE);
	}

	@Test
	void failsAWriterThatComesWhileOthersHereRead() {
		CompletableFuture<LockHandle> reader = request(LockRequest.of("name").type(LockType.READ));
		this.backend.asked().grant(1);
		Actor.resultOf(reader);
		CompletableFuture<LockHandle> writer = request(LockRequest.of("name").type(LockType.WRITE));
		this.backend.asked().fail(Reason.UNREACHABLE);
		assertThat(failure(writer).reason()).isEqualTo(Reason.UNREACHABLE);
	}

	@Test
	void keepsThoseWhoWaitBehindOneThatStandsInTheQueue() {
		CompletableFuture<LockHandle> first = queued(LockRequest.of("name"));
		CompletableFuture<LockHandle> second = request(LockRequest.of("name"));
		this.backend.wake();
		ScriptedBackend.Ask asked = this.backend.asked();
		asked.fail(Reason.UNREACHABLE);
		CompletableFuture<LockHandle> third = request(LockRequest.of("name"));
		this.backend.asked().fail(Reason.UNREACHABLE);
		first.cancel(false);
		this.backend.asked().fail(Reason.UNREACHABLE);
		second.cancel(false);
		this.backend.asked().fail(Reason.UNREACHABLE);
		assertThat(third).isNotDone();
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(third).isValid()).isTrue();
	}

	@Test
	void keepsOneThatWaitedForAHolderOfItsOwnJvm() {
		CompletableFuture<LockHandle> holder = request(LockRequest.of("name"));
		this.backend.asked().grant(1);
		LockHandle held = Actor.resultOf(holder);
		CompletableFuture<LockHandle> request = request(LockRequest.of("name"));
		held.releaseAsync();
		this.backend.released().fail(Reason.UNREACHABLE);
		this.backend.asked().fail(Reason.UNREACHABLE);
		this.backend.asked().grant(2);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@Test
	void keepsOneThatCameWhileTheLockWasAskedForAnother() {
		CompletableFuture<LockHandle> first = request(LockRequest.of("name"));
		CompletableFuture<LockHandle> second = request(LockRequest.of("name"));
		this.backend.asked().grant(1);
		Actor.resultOf(first).releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		this.backend.asked().fail(Reason.TIMEOUT);
		this.backend.asked().grant(2);
		assertThat(Actor.resultOf(second).isValid()).isTrue();
	}

	@Test
	void tellsOneThatDoesNotWaitAtOnce() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.UNREACHABLE);
		CompletableFuture<LockHandle> attempt = request(LockRequest.of("name").waitTime(Duration.ZERO));
		assertThat(this.backend.asks).as("not left to the next question").isNotEmpty();
		this.backend.asked().fail(Reason.UNREACHABLE);
		assertThat(failure(attempt).reason()).isEqualTo(Reason.UNREACHABLE);
		assertThat(request).isNotDone();
	}

	@Test
	void tellsForHowLongThereWasNoAnswerWhenTheWaitIsOver() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name").waitTime(Duration.ofMillis(400)));
		this.backend.onAsk = () -> this.backend.asks.remove().fail(Reason.READ_ONLY);
		this.backend.wake();
		LockBackendException failure = failure(request);
		assertThat(failure.reason()).isEqualTo(Reason.READ_ONLY);
		assertThat(failure).hasMessageContaining("name").hasMessageContaining("planted");
		assertThat(failure.getMessage()).containsPattern("for the last \\d+ ms of \\d+ ms waited");
		assertForgotten();
	}

	@Test
	void tellsAThreadForHowLongThereWasNoAnswer() {
		this.backend.onAsk = () -> {
			ScriptedBackend.Ask ask = this.backend.asks.remove();
			this.backend.onAsk = () -> this.backend.asks.remove().fail(Reason.UNREACHABLE);
			ask.refuse(PLACE, Duration.ofMillis(10));
		};
		NamedLock lock = this.registry.get("name");
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.actor.call(() -> lock.tryLock(400, TimeUnit.MILLISECONDS)))
			.withMessageContaining("waited");
	}

	@Test
	void tellsWhoHasTheLockIfTheBackendHasAnsweredAgain() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name").waitTime(Duration.ofMillis(400)));
		this.backend.wake();
		this.backend.asked().fail(Reason.UNREACHABLE);
		this.backend.asked().refuse(PLACE);
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> Actor.resultOf(request))
			.withMessageContaining("another");
	}

	@Test
	void endsWithItsOwnWaitTimeThoughTheLastQuestionIsNotAnswered() {
		queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.UNREACHABLE);
		this.backend.asked();
		CompletableFuture<LockHandle> brief = request(LockRequest.of("name").waitTime(Duration.ofMillis(1)));
		assertThat(failure(brief).reason()).isEqualTo(Reason.UNREACHABLE);
	}

	@Test
	void endsWhatMayHaveBeenGranted() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.wake();
		ScriptedBackend.Ask unknown = this.backend.asked();
		unknown.fail(Reason.TIMEOUT);
		ScriptedBackend.Give end = this.backend.released();
		assertThat(end.command().tenure()).isEqualTo(unknown.command().tenure());
		assertThat(end.command().intent()).isEqualTo(Intent.LEAVE);
		ScriptedBackend.Ask next = this.backend.asked();
		assertThat(next.command().tenure()).as("a tenure that may have ended").isNotEqualTo(unknown.command().tenure());
		assertThat(next.command().waiting().position()).as("where it stood").isEqualTo(PLACE);
		next.grant(1);
		end.answer(Outcome.NOT_HELD);
		Actor.resultOf(request).releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		assertForgotten();
	}

	@Test
	void pausesLongerAndLonger() {
		queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		long start = System.nanoTime();
		this.backend.asked().fail(Reason.READ_ONLY);
		this.backend.asked().fail(Reason.READ_ONLY);
		this.backend.asked();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(560));
	}

	@Test
	void asksAtOnceWhenItIsWoken() {
		queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		this.backend.wake();
		assertThat(this.backend.asks).as("not after the pause").isNotEmpty();
	}

	/** Else nothing would pause that ends whatever it is granted. */
	@Test
	void doesNotAskAtOnceWhenAnEndIsConfirmed() {
		queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.NOT_REPLICATED);
		this.backend.released().answer(Outcome.RELEASED);
		assertThat(this.backend.asks).isEmpty();
		this.backend.asked();
	}

	@Test
	void endsAtOnceWhenItIsInterrupted() {
		Future<?> request = this.actor.begin(() -> this.registry.get("name").lockInterruptibly());
		this.backend.asked().refuse(PLACE);
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		this.actor.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(request));
		assertLeft();
	}

	@Test
	void endsAtOnceWhenItIsCancelled() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		request.cancel(false);
		assertLeft();
	}

	private void assertLeft() {
		ScriptedBackend.Give left = this.backend.released();
		assertThat(left.command().intent()).isEqualTo(Intent.LEAVE);
		left.answer(Outcome.NOT_HELD);
		assertForgotten();
	}

	@Test
	void endsAtOnceWhenTheRegistryIsClosed() {
		CompletableFuture<LockHandle> request = queued(LockRequest.of("name"));
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		this.registry.close();
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(request));
	}

	@Test
	void keepsTheOthersOfSeveralLocks() {
		CompletableFuture<LockHandle> both = this.registry
			.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b")));
		this.backend.asked().grant(1);
		this.backend.asked().refuse(PLACE, Duration.ofMillis(1));
		this.backend.asked().fail(Reason.READ_ONLY);
		this.backend.asked().grant(2);
		assertThat(Actor.resultOf(both).isValid()).isTrue();
	}

	private CompletableFuture<LockHandle> queued(LockRequest request) {
		CompletableFuture<LockHandle> promise = request(request);
		this.backend.asked().refuse(PLACE);
		return promise;
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

	private void assertForgotten() {
		await().untilAsserted(() -> {
			assertThat(EngineInternals.places(this.registry)).isZero();
			assertThat(EngineInternals.timers(this.registry)).isZero();
			assertThat(this.registry.waitingCount()).isZero();
			assertThat(this.registry.heldCount()).isZero();
		});
	}

}
