package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.EngineInternals;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A backend that does not answer for a while, as a thread that waits sees it.
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

	@Test
	void asksAgainForAThreadThatStandsInTheQueue() {
		Future<LockHandle> request = this.actor.ask(() -> this.registry.acquire(LockRequest.of("name")));
		this.backend.asked().refuse(PLACE);
		this.backend.wake();
		this.backend.asked().fail(Reason.TIMEOUT);
		this.backend.asked().grant(1);
		assertThat(Actor.resultOf(request).isValid()).isTrue();
	}

	@Test
	void asksAgainWhenTheConnectionIsGone() {
		CompletableFuture<LockHandle> request = this.registry.acquireAsync(LockRequest.of("name"));
		this.backend.asked().refuse(PLACE);
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
	void endsAtOnceWhenItIsInterrupted() {
		Future<?> request = this.actor.begin(() -> this.registry.get("name").lockInterruptibly());
		this.backend.asked().refuse(PLACE);
		this.backend.wake();
		this.backend.asked().fail(Reason.READ_ONLY);
		this.actor.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(request));
		ScriptedBackend.Give left = this.backend.released();
		assertThat(left.command().intent()).isEqualTo(Intent.LEAVE);
		left.answer(Outcome.NOT_HELD);
		assertForgotten();
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

	private void assertForgotten() {
		await().untilAsserted(() -> {
			assertThat(EngineInternals.places(this.registry)).isZero();
			assertThat(EngineInternals.timers(this.registry)).isZero();
			assertThat(this.registry.waitingCount()).isZero();
			assertThat(this.registry.heldCount()).isZero();
		});
	}

}
