package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that are granted by a message, on a backend whose every answer the test gives.
 */
class DirectGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), LEASE, null, false, 64), List.of(this.events));

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void hasItsWholeLeaseFromTheBeginning() {
		CompletableFuture<LockHandle> request = request();
		this.backend.offer(refused().command().tenure(), LEASE);
		LockHandle handle = Actor.resultOf(request);
		assertThat(handle.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
		assertThat(this.backend.renewals).isEmpty();
	}

	@Test
	void endsAGrantThatNobodyWaitsForAnyMore() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		request.cancel(false);
		ScriptedBackend.Give withdrawal = this.backend.released();
		assertThat(withdrawal.command().tenure()).isEqualTo(ask.command().tenure());
		this.backend.offer(ask.command().tenure(), LEASE);
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		withdrawal.answer(Outcome.RELEASED);
		assertThat(this.events.acquired).isEmpty();
	}

	/** It may have been granted, by a message that is lost as well. */
	@Test
	void endsWhatItHasWaitedWithUntilThatIsConfirmed() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		request.cancel(false);
		this.backend.released().fail(Reason.TIMEOUT);
		this.backend.released().fail(Reason.TIMEOUT);
		ScriptedBackend.Give end = this.backend.released();
		assertThat(end.command().tenure()).isEqualTo(ask.command().tenure());
		end.answer(Outcome.RELEASED);
	}

	private CompletableFuture<LockHandle> request() {
		return this.registry.acquireAsync(LockRequest.of("name"));
	}

	private ScriptedBackend.Ask refused() {
		ScriptedBackend.Ask ask = this.backend.asked();
		assertThat(ask.command()).extracting(LockBackend.Acquire::acceptsDirectGrant).isEqualTo(true);
		ask.refuse(PLACE);
		return ask;
	}

}
