package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.EngineInternals;
import io.lockstarter.contract.Events;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.engine.lock.LocalLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does with tenures of readers, and when those who wait ask for different
 * types: on a backend whose every answer the test gives.
 */
class SharedTenureTests {

	private static final OptionalLong PLACE = OptionalLong.of(1);

	private static final Duration FIRST_LEASE = Duration.ofSeconds(1);

	private final ScriptedBackend backend = new ScriptedBackend();

	private final Events events = new Events();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("one", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64),
			List.of(this.events));

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void keepsAReadLockWhenTheMessageComesAfterTheAnswer() {
		CompletableFuture<LockHandle> reader = request(LockType.READ);
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		this.backend.asked().grant(7);
		LockHandle handle = Actor.resultOf(reader);
		offer(ask.command().tenure(), 7);
		assertThat(this.backend.releases).isEmpty();
		assertThat(handle.isValid()).isTrue();
	}

	@Test
	void takesARepeatedMessageForAReaderOnce() {
		CompletableFuture<LockHandle> reader = request(LockType.READ);
		ScriptedBackend.Ask ask = refused();
		offer(ask.command().tenure(), 7);
		Actor.resultOf(reader);
		offer(ask.command().tenure(), 7);
		assertThat(this.backend.releases).isEmpty();
		assertThat(this.registry.heldCount()).isOne();
	}

	@Test
	void asksWithANewTenureWhenAReaderFollowsAWriterWhoGaveUp() {
		ScriptedBackend.Ask written = refusedWriterBeforeAReader();
		ScriptedBackend.Ask read = this.backend.asked();
		assertThat(read.command().type()).isEqualTo(LockType.READ);
		assertThat(read.command().tenure()).isNotEqualTo(written.command().tenure());
		read.grant(7);
		await().until(() -> this.registry.heldCount() == 1);
		offer(written.command().tenure(), 8);
		assertThat(this.backend.released().command().tenure()).isEqualTo(written.command().tenure());
		assertThat(this.registry.held()).extracting("type").containsExactly(LockType.READ);
	}

	@Test
	void passesALateGrantForTheWriterOnWhileItAsksForTheReader() {
		ScriptedBackend.Ask written = refusedWriterBeforeAReader();
		ScriptedBackend.Ask read = this.backend.asked();
		offer(written.command().tenure(), 7);
		assertThat(this.backend.released().command().tenure()).isEqualTo(written.command().tenure());
		read.refuse(PLACE);
		assertThat(this.registry.heldCount()).isZero();
		offer(read.command().tenure(), 8);
		await().until(() -> this.registry.heldCount() == 1);
	}

	@Test
	void endsAGrantThatCameBeforeTheWriterGaveUpWhenAReaderFollows() {
		CompletableFuture<LockHandle> writer = request(LockType.WRITE);
		ScriptedBackend.Ask written = this.backend.asked();
		request(LockType.READ);
		offer(written.command().tenure(), 7);
		writer.cancel(false);
		written.refuse(PLACE);
		assertThat(this.backend.released().command())
			.isEqualTo(new LockBackend.Release("name", written.command().tenure(), Intent.LEAVE, null));
		ScriptedBackend.Ask read = this.backend.asked();
		assertThat(read.command().tenure()).isNotEqualTo(written.command().tenure());
		read.grant(8);
		await().until(() -> this.registry.heldCount() == 1);
		assertThat(this.backend.releases).isEmpty();
	}

	/** A writer waits, a reader behind it, and the writer gives up. */
	private ScriptedBackend.Ask refusedWriterBeforeAReader() {
		CompletableFuture<LockHandle> writer = request(LockType.WRITE);
		ScriptedBackend.Ask written = refused();
		request(LockType.READ);
		writer.cancel(false);
		return written;
	}

	@Test
	void asksAgainForAFairRequestWithItsOwnTimeOfArrival() {
		CompletableFuture<LockHandle> first = request(LockType.FAIR);
		ScriptedBackend.Ask ask = refused();
		this.backend.wake();
		ScriptedBackend.Ask again = this.backend.asked();
		assertThat(waiting(again).position()).as("of the same request").isEqualTo(PLACE);
		again.refuse(PLACE);
		request(LockType.FAIR);
		first.cancel(false);
		assertThat(this.backend.asks).as("at once").hasSize(1);
		ScriptedBackend.Ask second = this.backend.asked();
		assertThat(waiting(second).position()).as("of the next request").isEmpty();
		assertThat(second.command().tenure()).isEqualTo(ask.command().tenure());
	}

	private static LockBackend.Waiting waiting(ScriptedBackend.Ask ask) {
		return Objects.requireNonNull(ask.command().waiting());
	}

	@Test
	void admitsAllReadersAtTheHeadWithOneGrant() {
		List<CompletableFuture<LockHandle>> readers = List.of(request(LockType.READ), request(LockType.READ),
				request(LockType.READ));
		CompletableFuture<LockHandle> writer = request(LockType.WRITE);
		CompletableFuture<LockHandle> behind = request(LockType.READ);
		ScriptedBackend.Ask ask = refused();
		offer(ask.command().tenure(), 7);
		assertThat(readers.stream().map(Actor::resultOf).map(LockHandle::fencingToken)).containsExactly(7L * 1024,
				7L * 1024 + 1, 7L * 1024 + 2);
		assertThat(this.backend.asked().command().type()).isEqualTo(LockType.WRITE);
		assertThat(writer).isNotDone();
		assertThat(behind).isNotDone();
		assertThat(this.registry.heldCount()).isEqualTo(3);
	}

	@Test
	void admitsReadersThatWaitEvenIfAWriterWaitsElsewhereByThen() {
		List<CompletableFuture<LockHandle>> readers = List.of(request(LockType.READ), request(LockType.READ));
		this.backend.asked().grant(7, true);
		readers.forEach(Actor::resultOf);
		CompletableFuture<LockHandle> late = request(LockType.READ);
		assertThat(this.backend.asked().command().type()).isEqualTo(LockType.READ);
		assertThat(late).isNotDone();
	}

	@Test
	void letsOneOwnerThatAskedTwiceReadUntilItHasReleasedTwice() {
		LockRequest request = LockRequest.of("name").type(LockType.READ).owner(LockOwner.create("both"));
		List<CompletableFuture<LockHandle>> both = List.of(this.registry.acquireAsync(request),
				this.registry.acquireAsync(request));
		this.backend.asked().grant(7);
		LockHandle first = Actor.resultOf(both.get(0));
		LockHandle second = Actor.resultOf(both.get(1));
		second.releaseAsync();
		assertThat(this.backend.releases).isEmpty();
		assertThat(first.isValid()).isTrue();
		first.releaseAsync();
		this.backend.released();
	}

	@Test
	void endsATenureWhenTheLastOfItsReadersLeaves() {
		List<CompletableFuture<LockHandle>> readers = List.of(request(LockType.READ), request(LockType.READ));
		ScriptedBackend.Ask ask = this.backend.asked();
		ask.grant(7);
		Actor.resultOf(readers.get(0)).releaseAsync();
		assertThat(this.backend.releases).isEmpty();
		Actor.resultOf(readers.get(1)).releaseAsync();
		ScriptedBackend.Give give = this.backend.released();
		assertThat(give.command())
			.isEqualTo(new LockBackend.Release("name", ask.command().tenure(), Intent.STAY, null));
		give.answer(Outcome.RELEASED);
		assertForgotten();
	}

	private void assertForgotten() {
		await().until(() -> EngineInternals.places(this.registry) == 0);
	}

	@Test
	void keepsTheTenureWhenOneOfItsReadersLosesItsHold() {
		LockOwner owner = LockOwner.create("loser");
		List<CompletableFuture<LockHandle>> readers = List.of(request(LockType.READ, owner), request(LockType.READ));
		this.backend.asked().grant(7);
		LockHandle losing = Actor.resultOf(readers.get(0));
		LockHandle staying = Actor.resultOf(readers.get(1));
		loseAlone(owner);
		assertThat(losing.isValid()).isFalse();
		assertThat(losing.releaseAsync().toCompletableFuture()).failsWithin(5, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.backend.releases).isEmpty();
		assertThat(staying.isValid()).isTrue();
		staying.releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		assertForgotten();
	}

	/** Between the watchdog's look at it and the loss. */
	@Test
	void losesNoHoldThatWasReleasedMeanwhile() {
		LockOwner owner = LockOwner.create("leaving");
		List<CompletableFuture<LockHandle>> readers = List.of(request(LockType.READ, owner), request(LockType.READ));
		this.backend.asked().grant(7);
		LockHandle leaving = Actor.resultOf(readers.get(0));
		Hold hold = holdOf(owner);
		Actor.resultOf(leaving.releaseAsync().toCompletableFuture());
		lose(hold);
		assertThat(hold.isLost()).isFalse();
		Actor.resultOf(readers.get(1)).releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		assertForgotten();
		assertThat(this.events.losses).isEmpty();
	}

	private void loseAlone(LockOwner owner) {
		lose(holdOf(owner));
	}

	private Hold holdOf(LockOwner reader) {
		return Objects.requireNonNull(requests().holdOf(LockRequest.of("name").type(LockType.READ), reader));
	}

	private Requests requests() {
		return (Requests) ReflectionTestUtils.getField(this.registry, "requests");
	}

	/** As the watchdog does with an owner that has ended. */
	private static void lose(Hold hold) {
		((LocalLock) hold.home()).lose(hold, LockLoss.Reason.OWNER_ENDED);
	}

	@Test
	void endsTheTenureWhenTheOthersHaveLeftBeforeOneLosesItsHold() {
		LockOwner owner = LockOwner.create("loser");
		CompletableFuture<LockHandle> reader = request(LockType.READ, owner);
		ScriptedBackend.Ask ask = this.backend.asked();
		ask.grant(7);
		Actor.resultOf(reader);
		loseAlone(owner);
		ScriptedBackend.Give give = this.backend.released();
		assertThat(give.command().tenure()).isEqualTo(ask.command().tenure());
		give.answer(Outcome.RELEASED);
		assertForgotten();
	}

	@Test
	void handsAWriteLockToNobodyUntilItsHolderMayReadOn() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		LockHandle read = Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		ScriptedBackend.Give downgrade = this.backend.released();
		assertThat(downgrade.command().intent()).isEqualTo(Intent.DOWNGRADE);
		CompletableFuture<LockHandle> other = request(LockType.READ);
		downgrade.fail(Reason.TIMEOUT);
		ScriptedBackend.Give again = this.backend.released();
		assertThat(again.command()).isEqualTo(downgrade.command());
		assertThat(other).isNotDone();
		assertThat(read.isValid()).isTrue();
		assertThat(this.backend.asks).isEmpty();
		again.answer(Outcome.RELEASED);
		assertThat(Actor.resultOf(other).fencingToken()).isGreaterThan(read.fencingToken());
		assertThat(this.backend.asks).isEmpty();
	}

	@Test
	void letsOneWhoTriesToReadInAsSoonAsTheWriterReadsOn() {
		ScriptedBackend.Give downgrade = beginDowngrade();
		CompletableFuture<LockHandle> reader = attempt(LockType.READ);
		assertThat(reader).isNotDone();
		downgrade.answer(Outcome.RELEASED);
		assertThat(Actor.resultOf(reader).isValid()).isTrue();
		assertThat(this.backend.asks).isEmpty();
	}

	@Test
	void refusesOneWhoTriesToReadIfTheWriterCannotReadOnYet() {
		ScriptedBackend.Give downgrade = beginDowngrade();
		CompletableFuture<LockHandle> reader = attempt(LockType.READ);
		downgrade.fail(Reason.TIMEOUT);
		assertRefused(reader);
		this.backend.released().answer(Outcome.RELEASED);
	}

	/** Redis may have made a reader of it, or may do so yet. */
	@Test
	void doesNotSayThatAWriterHadTheLockAloneWhenItIsAboutToReadOn() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		LockHandle read = Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		this.backend.released();
		read.releaseAsync();
		assertThat(this.backend.released().command().alone()).isFalse();
	}

	@Test
	void refusesOneWhoTriesToWriteWhileTheWriterIsAboutToReadOn() {
		beginDowngrade();
		assertRefused(attempt(LockType.WRITE));
		assertThat(this.backend.asks).isEmpty();
	}

	/** It lasts longer than the writing, and is told to have been released or lost. */
	@Test
	void tellsThatAWriterBeginsToRead() {
		ScriptedBackend.Give downgrade = beginDowngrade();
		downgrade.answer(Outcome.RELEASED);
		assertThat(this.events.acquired).hasSize(2);
		await().until(() -> this.events.released.size() == 1);
	}

	@Test
	void refusesOneWhoTriesToReadBehindAWriterWhoGoesOnWaiting() {
		CompletableFuture<LockHandle> writer = request(LockType.WRITE);
		ScriptedBackend.Ask ask = this.backend.asked();
		CompletableFuture<LockHandle> reader = attempt(LockType.READ);
		ask.refuse(PLACE);
		assertRefused(reader);
		assertThat(this.backend.asks).isEmpty();
		assertThat(writer).isNotDone();
	}

	@Test
	void asksForOneWhoTriesToReadIfTheWriterBeforeItHasGone() {
		CompletableFuture<LockHandle> writer = request(LockType.WRITE);
		ScriptedBackend.Ask ask = this.backend.asked();
		CompletableFuture<LockHandle> reader = attempt(LockType.READ);
		writer.cancel(false);
		ask.refuse(PLACE);
		this.backend.asked().grant(7);
		assertThat(Actor.resultOf(reader).isValid()).isTrue();
	}

	/** The lock may have been released between the answer and the request. */
	@Test
	void letsOneWhoTriesToReadInWithAReaderWhoIsAskedForAgain() {
		CompletableFuture<LockHandle> waiting = request(LockType.READ);
		ScriptedBackend.Ask ask = this.backend.asked();
		CompletableFuture<LockHandle> trying = attempt(LockType.READ);
		ask.refuse(PLACE);
		this.backend.asked().grant(7);
		assertThat(Actor.resultOf(waiting).isValid()).isTrue();
		assertThat(Actor.resultOf(trying).isValid()).isTrue();
	}

	@Test
	void refusesOneWhoTriesToReadWithTheAnswerToAReaderWhoIsAskedForAgain() {
		CompletableFuture<LockHandle> waiting = request(LockType.READ);
		ScriptedBackend.Ask ask = this.backend.asked();
		CompletableFuture<LockHandle> trying = attempt(LockType.READ);
		ask.refuse(PLACE);
		this.backend.asked().refuse(PLACE);
		assertRefused(trying);
		assertThat(waiting).isNotDone();
		assertThat(this.backend.asks).isEmpty();
	}

	private static void assertRefused(CompletableFuture<LockHandle> attempt) {
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> Actor.resultOf(attempt));
	}

	private ScriptedBackend.Give beginDowngrade() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		return this.backend.released();
	}

	private CompletableFuture<LockHandle> attempt(LockType type) {
		return this.registry.acquireAsync(LockRequest.of("name").type(type).waitTime(Duration.ZERO));
	}

	private LockHandle granted(LockType type, LockOwner owner) {
		CompletableFuture<LockHandle> request = request(type, owner);
		this.backend.asked().grant(7);
		return Actor.resultOf(request);
	}

	@Test
	void releasesAWriteLockWhoseHolderReadsNoMoreBeforeItIsToldThatItMay() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		LockHandle read = Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		ScriptedBackend.Give downgrade = this.backend.released();
		CompletableFuture<LockHandle> next = request(LockType.WRITE);
		read.releaseAsync();
		ScriptedBackend.Give release = this.backend.released();
		assertThat(release.command().intent()).isIn(Intent.YIELD, Intent.RETURN);
		downgrade.fail(Reason.TIMEOUT);
		release.answer(Outcome.RELEASED);
		this.backend.asked().grant(8);
		assertThat(Actor.resultOf(next).isValid()).isTrue();
		await().during(Duration.ofMillis(250)).until(this.backend.releases::isEmpty);
	}

	/** Readers would join what the backend has no more. */
	@Test
	void keepsNothingOfAWriteLockThatHasEndedBeforeItsHolderIsToldThatItMayReadOn() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		LockHandle read = Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		ScriptedBackend.Give downgrade = this.backend.released();
		read.releaseAsync();
		ScriptedBackend.Give release = this.backend.released();
		downgrade.answer(Outcome.RELEASED);
		CompletableFuture<LockHandle> next = request(LockType.READ);
		assertThat(next).isNotDone();
		release.answer(Outcome.RELEASED);
		this.backend.asked().grant(8);
		assertThat(Actor.resultOf(next).isValid()).isTrue();
	}

	@Test
	void losesTheReadLockWhenTheWriteLockWasLostBefore() {
		LockOwner owner = LockOwner.create("writer");
		LockHandle write = granted(LockType.WRITE, owner);
		LockHandle read = Actor.resultOf(request(LockType.READ, owner));
		write.releaseAsync();
		this.backend.released().answer(Outcome.NOT_HELD);
		await().until(() -> !read.isValid());
		await().untilAsserted(() -> assertThat(this.events.losses).extracting(LockLoss::reason)
			.containsExactly(LockLoss.Reason.NOT_OWNED));
	}

	@Test
	void refusesAnUpgradeWithoutATrace() throws InterruptedException {
		LockOwner owner = LockOwner.create("reader");
		LockHandle read = granted(LockType.READ, owner);
		CompletableFuture<LockHandle> upgrade = request(LockType.WRITE, owner);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> upgrade.get(5, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockUpgradeException.class);
		assertThat(this.registry.waitingCount()).isZero();
		assertThat(this.backend.asks).isEmpty();
		assertThat(this.backend.releases).isEmpty();
		read.releaseAsync();
		this.backend.released().answer(Outcome.RELEASED);
		assertForgotten();
		granted(LockType.WRITE, owner);
	}

	private CompletableFuture<LockHandle> request(LockType type) {
		return this.registry.acquireAsync(LockRequest.of("name").type(type));
	}

	private CompletableFuture<LockHandle> request(LockType type, LockOwner owner) {
		return this.registry.acquireAsync(LockRequest.of("name").type(type).owner(owner));
	}

	private ScriptedBackend.Ask refused() {
		ScriptedBackend.Ask ask = this.backend.asked();
		assertThat(ask.command().acceptsDirectGrant()).isTrue();
		ask.refuse(PLACE);
		return ask;
	}

	private void offer(TenureId tenure, long base) {
		this.backend.offer(tenure, base, FIRST_LEASE, ScriptedBackend.micros());
	}

}
