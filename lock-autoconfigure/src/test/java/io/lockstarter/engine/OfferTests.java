package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine makes of a lock that is granted by a message, which may be late,
 * repeated, or not wanted any more: on a backend whose every answer the test gives.
 */
class OfferTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration FIRST_LEASE = Duration.ofMillis(900);

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private static final Duration WAITED = Duration.ofMillis(200);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), LEASE, null, false, 64), List.of(this.events));

	/** What this client waits with after it has yielded. */
	private LockBackend.Acquire yielded;

	/** The request that waits with it. */
	private CompletableFuture<LockHandle> next;

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void takesTheLockWithoutAskingAgain() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		LockHandle handle = Actor.resultOf(request);
		assertThat(handle.fencingToken()).isEqualTo(7 * 1024);
		assertThat(handle.remainingLease()).isBetween(Duration.ofMillis(1), FIRST_LEASE);
		assertThat(this.backend.asks).isEmpty();
		handle.releaseAsync();
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
	}

	@Test
	void renewsTheFirstLeaseSoonToItsFullLength() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		LockHandle handle = Actor.resultOf(request);
		ScriptedBackend.Renewal renewal = this.backend.renewed();
		assertThat(handle.remainingLease()).isGreaterThan(FIRST_LEASE.minusMillis(200));
		assertThat(renewal.command().lease()).isEqualTo(LEASE);
		renewal.answer(true);
		await().until(() -> handle.remainingLease().compareTo(FIRST_LEASE) > 0);
	}

	@Test
	void renewsTheFirstLeaseAgainBeforeItsEndIfThatFails() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE.dividedBy(4), ScriptedBackend.micros());
		LockHandle handle = Actor.resultOf(request);
		this.backend.renewed().fail(Reason.LOADING);
		this.backend.renewed().answer(true);
		await().until(() -> handle.remainingLease().compareTo(FIRST_LEASE) > 0);
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void sendsNoRenewalForAShortHold() {
		CompletableFuture<LockHandle> request = request();
		request.thenAccept(LockHandle::releaseAsync);
		this.backend.offer(refused().command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		this.backend.released().answer(Outcome.RELEASED);
		await().during(FIRST_LEASE.dividedBy(2)).until(this.backend.renewals::isEmpty);
	}

	@Test
	void countsTheLeaseFromTheGrantHoweverLateTheMessageIs() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		long granted = ScriptedBackend.micros();
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, granted);
		assertThat(Actor.resultOf(request).remainingLease()).isLessThan(FIRST_LEASE.minusMillis(300));
	}

	@Test
	void asksAgainWhenTheLeaseHasEndedBeforeTheMessageCame() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		long granted = ScriptedBackend.micros();
		await().pollDelay(Duration.ofMillis(200)).until(() -> true);
		this.backend.offer(ask.command().tenure(), 7, Duration.ofMillis(150), granted);
		assertAskedAgain(request, ask);
	}

	/**
	 * Of a machine that is so busy, the rest might end before it is confirmed. The lock
	 * is not given back, which would be to others.
	 */
	@Test
	void asksAgainWhenMostOfTheLeaseIsOver() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		long granted = ScriptedBackend.micros();
		await().pollDelay(FIRST_LEASE.dividedBy(2)).until(() -> true);
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, granted);
		assertAskedAgain(request, ask);
		assertThat(this.backend.releases).isEmpty();
	}

	@Test
	void tellsTheLossOfAFirstLeaseThatNothingConfirms() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE.dividedBy(4), ScriptedBackend.micros());
		LockHandle handle = Actor.resultOf(request);
		this.backend.renewed();
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.losses).extracting(LockLoss::reason).containsExactly(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(handle.isValid()).isFalse();
		assertThat(this.registry.heldCount()).isZero();
		assertThat(handle.releaseAsync()).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void asksAgainWhenTheClocksDisagree() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros() + 5_000_000);
		assertAskedAgain(request, ask);
	}

	@Test
	void asksAgainWhenTheBackendsClockWasSetBack() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros() - 5_000_000);
		assertAskedAgain(request, ask);
	}

	private void assertAskedAgain(CompletableFuture<LockHandle> request, ScriptedBackend.Ask ask) {
		ScriptedBackend.Ask again = this.backend.asked();
		assertThat(again.command().tenure()).isEqualTo(ask.command().tenure());
		assertThat(request).isNotDone();
		again.grant(7);
		assertThat(Actor.resultOf(request).remainingLease()).isGreaterThan(FIRST_LEASE);
	}

	/** It was granted, nobody here heard of it, and it was released by force. */
	@Test
	void asksForAnotherTenureWhenTheOneThatItWaitsWithWasEnded() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		this.backend.asked().answer(new LockBackend.AlreadyEnded());
		ScriptedBackend.Ask next = this.backend.asked();
		assertThat(next.command().tenure()).isNotEqualTo(ask.command().tenure());
		next.grant(7);
		assertThat(Actor.resultOf(request).fencingToken()).isEqualTo(7 * 1024);
	}

	@Test
	void endsAGrantThatNobodyWaitsForAnyMore() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		request.cancel(false);
		ScriptedBackend.Give withdrawal = this.backend.released();
		assertThat(withdrawal.command().tenure()).isEqualTo(ask.command().tenure());
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		withdrawal.answer(Outcome.RELEASED);
		assertThat(this.events.acquired).isEmpty();
	}

	@Test
	void endsAGrantOfATenureThatItWaitedWithBefore() {
		CompletableFuture<LockHandle> first = request();
		ScriptedBackend.Ask old = refused();
		first.cancel(false);
		this.backend.released();
		request();
		ScriptedBackend.Ask current = refused();
		this.backend.offer(old.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.released().command().tenure()).isEqualTo(old.command().tenure());
		assertThat(current.command().tenure()).isNotEqualTo(old.command().tenure());
		assertThat(this.registry.waitingCount()).isOne();
	}

	@Test
	void takesARepeatedMessageOnce() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		LockHandle handle = Actor.resultOf(request);
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.releases).isEmpty();
		assertThat(handle.isValid()).isTrue();
		assertThat(this.registry.heldCount()).isOne();
	}

	@Test
	void leavesAGrantToTheAnswerThatIsOnItsWay() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		ScriptedBackend.Ask again = this.backend.asked();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(request).isNotDone();
		again.grant(7);
		assertThat(Actor.resultOf(request).fencingToken()).isEqualTo(7 * 1024);
		assertThat(this.backend.releases).isEmpty();
	}

	@Test
	void asksAtOnceWhenTheAnswerUnderWayWasGivenBeforeTheGrant() {
		request();
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		ScriptedBackend.Ask again = this.backend.asked();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		again.refuse(PLACE);
		assertThat(this.backend.asks).as("by what brings the answer, not a second later").isNotEmpty();
		assertThat(this.backend.asked().command().tenure()).isEqualTo(ask.command().tenure());
	}

	/**
	 * The first reply was lost, and the client library asks again: the message overtakes
	 * the answer that has the lock.
	 */
	@Test
	void leavesAGrantToTheAnswerToItsFirstQuestion() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.releases).as("of a tenure that is asked for").isEmpty();
		ask.grant(7);
		assertThat(Actor.resultOf(request).fencingToken()).isEqualTo(7 * 1024);
		assertThat(this.backend.releases).isEmpty();
	}

	@Test
	void asksForAGrantThatIsQuickerThanTheFirstAnswer() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		ask.refuse(PLACE);
		ScriptedBackend.Ask again = this.backend.asked();
		assertThat(again.command().tenure()).isEqualTo(ask.command().tenure());
		assertThat(this.backend.releases).as("of a tenure that is asked for").isEmpty();
		again.grant(7);
		assertThat(Actor.resultOf(request).fencingToken()).isEqualTo(7 * 1024);
	}

	@Test
	void endsAGrantThatIsQuickerThanTheFailureOfTheFirstQuestion() {
		CompletableFuture<LockHandle> request = request();
		ScriptedBackend.Ask ask = this.backend.asked();
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		ask.fail(Reason.READ_ONLY);
		assertThat(this.backend.released().command().tenure()).isEqualTo(ask.command().tenure());
		await().until(request::isCompletedExceptionally);
	}

	@Test
	void takesAGrantAfterItHasYielded() {
		ScriptedBackend.Give release = yields(LockRequest.of("name"), Duration.ofMillis(20));
		release.answer(Outcome.RELEASED, OptionalLong.of(ScriptedBackend.micros()));
		this.backend.offer(this.yielded.tenure(), 9, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(Actor.resultOf(this.next).fencingToken()).isEqualTo(9 * 1024);
		assertThat(this.backend.asks).isEmpty();
	}

	/** Its place among the waiting is earlier than the time when it yielded. */
	@Test
	void takesAGrantOfAFairLockAfterItHasYielded() {
		yieldsFairly();
		this.backend.offer(this.yielded.tenure(), 9, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(Actor.resultOf(this.next).fencingToken()).isEqualTo(9 * 1024);
		assertThat(this.backend.asks).isEmpty();
	}

	@Test
	void countsTheLeaseOfAFairLockFromTheGrantAfterItHasYielded() {
		yieldsFairly();
		long granted = ScriptedBackend.micros();
		await().pollDelay(WAITED.plusMillis(50)).until(() -> true);
		this.backend.offer(this.yielded.tenure(), 9, FIRST_LEASE, granted);
		assertThat(Actor.resultOf(this.next).remainingLease()).isLessThan(FIRST_LEASE.minus(WAITED));
	}

	private void yieldsFairly() {
		ScriptedBackend.Give release = yields(LockRequest.of("name").type(LockType.FAIR), WAITED);
		long waited = this.yielded.waiting().waited().toNanos() / 1000;
		release.answer(Outcome.RELEASED, OptionalLong.of(ScriptedBackend.micros() - waited));
	}

	@Test
	void asksForAGrantThatIsQuickerThanTheAnswerToItsYielding() {
		ScriptedBackend.Give release = yields(LockRequest.of("name"), Duration.ofMillis(20));
		this.backend.offer(this.yielded.tenure(), 9, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.releases).as("of a tenure that is asked for again").isEmpty();
		release.answer(Outcome.RELEASED, OptionalLong.of(ScriptedBackend.micros()));
		ScriptedBackend.Ask again = this.backend.asked();
		assertThat(again.command().tenure()).isEqualTo(this.yielded.tenure());
		again.grant(9);
		assertThat(Actor.resultOf(this.next).fencingToken()).isEqualTo(9 * 1024);
	}

	@Test
	void endsAGrantThatIsQuickerThanTheFailureOfItsYielding() {
		ScriptedBackend.Give release = yields(LockRequest.of("name"), Duration.ofMillis(20));
		this.backend.offer(this.yielded.tenure(), 9, FIRST_LEASE, ScriptedBackend.micros());
		release.fail(Reason.TIMEOUT);
		await().until(() -> this.backend.releases.stream()
			.anyMatch((give) -> give.command().tenure().equals(this.yielded.tenure())));
		assertThat(this.backend.asked().command().tenure()).as("not one that is being ended")
			.isNotEqualTo(this.yielded.tenure());
	}

	/** Hold the lock for so long that another client is next, though one waits here. */
	private ScriptedBackend.Give yields(LockRequest request, Duration held) {
		CompletableFuture<LockHandle> first = this.registry.acquireAsync(request);
		this.backend.asked().grant(1, true);
		LockHandle handle = Actor.resultOf(first);
		this.next = this.registry.acquireAsync(request);
		await().pollDelay(held).until(handle::isValid);
		handle.releaseAsync();
		ScriptedBackend.Give release = this.backend.released();
		assertThat(release.command().intent()).isEqualTo(Intent.YIELD);
		this.yielded = release.command().next();
		assertThat(this.yielded).isNotNull();
		return release;
	}

	@Test
	void doesNotEndTheShareOfAReaderWhenTheMessageComesAfterTheAnswer() {
		LockRequest read = LockRequest.of("name").type(LockType.READ);
		CompletableFuture<LockHandle> request = this.registry.acquireAsync(read);
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		this.backend.asked().grant(7);
		LockHandle handle = Actor.resultOf(request);
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		assertThat(this.backend.releases).isEmpty();
		assertThat(handle.isValid()).isTrue();
	}

	@Test
	void takesNoOffersForAFixedLease() {
		this.registry.acquireAsync(LockRequest.of("name").leaseTime(LEASE));
		assertThat(this.backend.asked().command().acceptsDirectGrant()).isFalse();
	}

	@Test
	void givesBackAGrantWhoseTermsNobodyCanUseAnyMore() {
		CompletableFuture<LockHandle> renewed = request();
		CompletableFuture<LockHandle> fixed = this.registry.acquireAsync(LockRequest.of("name").leaseTime(LEASE));
		ScriptedBackend.Ask ask = refused();
		renewed.cancel(false);
		this.backend.offer(ask.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		ScriptedBackend.Give given = this.backend.released();
		assertThat(given.command().tenure()).isEqualTo(ask.command().tenure());
		given.answer(Outcome.RELEASED);
		this.backend.asked().grant(8);
		assertThat(Actor.resultOf(fixed).fencingToken()).isEqualTo(8 * 1024);
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "READ" })
	void leavesTheWaitersAfterOneWhoDoesNotWait(LockType type) {
		ScriptedBackend.Ask first = refusedWhenOnlyAnAttemptIsLeft(LockRequest.of("name"), type);
		ScriptedBackend.Ask attempt = this.backend.asked();
		assertThat(attempt.command().waits()).isFalse();
		attempt.refuse(OptionalLong.empty());
		assertLeft(first.command().tenure());
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "READ" })
	void endsAGrantThatComesWhileItAsksForOneWhoDoesNotWait(LockType type) {
		ScriptedBackend.Ask first = refusedWhenOnlyAnAttemptIsLeft(LockRequest.of("name"), type);
		ScriptedBackend.Ask attempt = this.backend.asked();
		this.backend.offer(first.command().tenure(), 7, FIRST_LEASE, ScriptedBackend.micros());
		attempt.refuse(OptionalLong.empty());
		assertLeft(first.command().tenure());
	}

	/**
	 * A fixed lease is granted by no message, and a fair request has a place of its own.
	 */
	@Test
	void leavesTheWaitersAfterOneWhoDoesNotWaitWithoutATenure() {
		refusedWhenOnlyAnAttemptIsLeft(LockRequest.of("name").type(LockType.FAIR).leaseTime(LEASE), LockType.FAIR);
		this.backend.asked().refuse(OptionalLong.empty());
		assertLeft(new TenureId(this.backend.clientId(), 0));
	}

	@Test
	void leavesTheWaitersIfTheBackendRefusesToBeAskedForTheNext() {
		CompletableFuture<LockHandle> first = request(LockType.FAIR);
		ScriptedBackend.Ask ask = refused();
		CompletableFuture<LockHandle> second = request(LockType.FAIR);
		first.cancel(false);
		this.backend.asked().fail(Reason.NOT_AUTHORIZED);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Actor.resultOf(second));
		assertLeft(ask.command().tenure());
	}

	@Test
	void leavesTheWaitersIfItIsNotToldThatItIsAmongThem() {
		ScriptedBackend.Give release = yields(LockRequest.of("name"), Duration.ofMillis(20));
		this.next.cancel(false);
		release.fail(Reason.UNREACHABLE);
		assertThat(List.of(this.backend.released(), this.backend.released()))
			.extracting((give) -> give.command().tenure())
			.containsExactlyInAnyOrder(release.command().tenure(), this.yielded.tenure());
	}

	@Test
	void keepsItsPlaceForOneWhoComesWhileItAsksForOneWhoDoesNotWait() {
		ScriptedBackend.Ask first = refusedWhenOnlyAnAttemptIsLeft(LockRequest.of("name"), LockType.REENTRANT);
		ScriptedBackend.Ask attempt = this.backend.asked();
		request();
		attempt.refuse(OptionalLong.empty());
		ScriptedBackend.Ask next = this.backend.asked();
		assertThat(next.command().tenure()).isEqualTo(first.command().tenure());
		assertThat(next.command().waiting().position()).isEqualTo(PLACE);
		assertThat(this.backend.releases).isEmpty();
	}

	/**
	 * Refuse a request that was cancelled while it was asked for, and behind which there
	 * is only one that does not wait.
	 */
	private ScriptedBackend.Ask refusedWhenOnlyAnAttemptIsLeft(LockRequest request, LockType type) {
		CompletableFuture<LockHandle> first = this.registry.acquireAsync(request);
		ScriptedBackend.Ask ask = this.backend.asked();
		this.registry.acquireAsync(request.type(type).waitTime(Duration.ZERO));
		first.cancel(false);
		ask.refuse(PLACE);
		return ask;
	}

	/** This client has left the waiters, and asks no more. */
	private void assertLeft(TenureId ended) {
		assertThat(this.backend.released().command())
			.isEqualTo(new LockBackend.Release("name", ended, Intent.LEAVE, null));
		assertThat(this.backend.asks).isEmpty();
		assertThat(this.registry.waitingCount()).isZero();
	}

	private CompletableFuture<LockHandle> request(LockType type) {
		return this.registry.acquireAsync(LockRequest.of("name").type(type));
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
