package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How a lock that was granted by a message is renewed, lost, or handed on: on a backend
 * whose every answer the test gives.
 */
class DirectGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration FIRST_LEASE = Duration.ofMillis(900);

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
	void renewsTheFirstLeaseSoonToItsFullLength() {
		CompletableFuture<LockHandle> request = request();
		Duration first = LEASE.dividedBy(3);
		this.backend.offer(refused().command().tenure(), first);
		LockHandle handle = Actor.resultOf(request);
		ScriptedBackend.Renewal renewal = this.backend.renewed();
		assertThat(handle.remainingLease()).as("before a third is over")
			.isGreaterThan(first.multipliedBy(3).dividedBy(4));
		assertThat(renewal.command().lease()).isEqualTo(LEASE);
		renewal.answer(true);
		await().until(() -> handle.remainingLease().compareTo(first) > 0);
	}

	@Test
	void renewsTheFirstLeaseAgainBeforeItsEndIfThatFails() {
		CompletableFuture<LockHandle> request = request();
		Duration first = LEASE.dividedBy(3);
		this.backend.offer(refused().command().tenure(), first);
		LockHandle handle = Actor.resultOf(request);
		this.backend.renewed().fail(Reason.LOADING);
		this.backend.renewed().answer(true);
		await().until(() -> handle.remainingLease().compareTo(first) > 0);
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void sendsNoRenewalForAShortHold() {
		CompletableFuture<LockHandle> request = request();
		request.thenAccept(LockHandle::releaseAsync);
		this.backend.offer(refused().command().tenure(), FIRST_LEASE);
		this.backend.released().answer(Outcome.RELEASED);
		await().during(FIRST_LEASE.dividedBy(2)).until(this.backend.renewals::isEmpty);
	}

	@Test
	void tellsTheLossOfAFirstLeaseThatNothingConfirms() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), FIRST_LEASE.dividedBy(4));
		LockHandle handle = Actor.resultOf(request);
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.losses).extracting(LockLoss::reason).containsExactly(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(handle.isValid()).isFalse();
		assertThat(this.registry.heldCount()).isZero();
		assertThat(handle.releaseAsync()).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void endsAGrantThatNobodyWaitsForAnyMore() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		request.cancel(false);
		ScriptedBackend.Give withdrawal = this.backend.released();
		assertThat(withdrawal.command().tenure()).isEqualTo(ask.command().tenure());
		this.backend.offer(ask.command().tenure(), FIRST_LEASE);
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		withdrawal.answer(Outcome.RELEASED);
		assertThat(this.events.acquired).isEmpty();
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
