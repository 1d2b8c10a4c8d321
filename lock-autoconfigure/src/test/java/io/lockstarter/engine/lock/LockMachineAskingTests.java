package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.OptionalLong;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whom the machine of a name asks for, and whom the answer settles.
 */
class LockMachineAskingTests extends LockMachineFixture {

	@ParameterizedTest
	@EnumSource
	void asksForTheFirstRequest(LockType type) {
		request("a", type);
		expect("ask 1 " + type + " registers");
		assertState(BackendState.Requesting.class);
	}

	@Test
	void doesNotRegisterForOneThatTriesOnce() {
		tries("a");
		expect("ask 1 REENTRANT");
	}

	@Test
	void failsARequestWithWhatIsObjectedToIt() {
		WalkWaiter waiter = waiter("a", LockType.REENTRANT, LockRequest.FOREVER, null, false);
		this.machine.request(waiter, new LockRegistryClosedException("name"), this.now);
		take();
		expect("fail a: LockRegistryClosedException", "retire");
	}

	@Test
	void isNotUsedAgainOnceItHasRetired() {
		tries("a");
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "retire");
		assertThat(
				this.machine.request(waiter("b", LockType.REENTRANT, LockRequest.FOREVER, null, false), null, this.now))
			.isFalse();
		wake();
		expect();
	}

	@Test
	void ignoresHintsWhileNothingIsUnderWay() {
		this.machine.woken(this.now);
		this.machine.recheck(this.now);
		contended();
		take();
		assertThat(this.effects).doesNotContain("ask 1 REENTRANT");
		assertState(BackendState.Idle.class);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ")
	void holdsWhatIsGranted(LockType type) {
		request("a", type);
		grant(5);
		expect("ask 1 " + type + " registers", "grant a ACQUIRED", "renew 1");
		assertState(BackendState.Held.class);
		assertThat(this.holds.get("a").token()).isEqualTo(5 * 1024);
	}

	@Test
	void sharesWhatIsGrantedToAReader() {
		request("a", LockType.READ);
		grant(5);
		expect("ask 1 READ registers", "grant a ACQUIRED", "renew 1");
		assertState(BackendState.Idle.class);
		assertThat(this.machine.tenures()).hasSize(1);
	}

	@Test
	void asksOneQuestionAtATime() {
		request("a");
		request("b");
		request("c", LockType.READ);
		expect("ask 1 REENTRANT registers");
	}

	@Test
	void givesAGrantToWhoeverHeadsTheQueueByThen() {
		request("a");
		request("b");
		withdraw("a");
		grant(5);
		expect("ask 1 REENTRANT registers", "grant b ACQUIRED", "renew 1");
	}

	@Test
	void givesBackAGrantThatNobodyWaitsFor() {
		request("a");
		withdraw("a");
		grant(5);
		expect("ask 1 REENTRANT registers", "release 1 LEAVE", "stop 1");
		answer(Outcome.RELEASED);
		expect("retire");
	}

	@Test
	void givesBackAGrantOnTermsThatNobodyWants() {
		request("a");
		fixed("b", LEASE);
		withdraw("a");
		grant(5);
		expect("ask 1 REENTRANT registers", "release 1 RETURN", "stop 1");
		answer(Outcome.RELEASED);
		expect("ask 2 REENTRANT registers");
	}

	@Test
	void givesBackAGrantThatCameWhenHalfOfTheLeaseWasOver() {
		request("a");
		pass(Duration.ofSeconds(16));
		grant(5);
		expect("ask 1 REENTRANT registers", "release 1 RETURN", "stop 1");
	}

	@Test
	void countsAGrantFromBeforeItsQuestion() {
		request("a");
		pass(Duration.ofSeconds(5));
		grant(5);
		assertThat(this.holds.get("a").remainingLease(this.now)).isLessThan(LEASE.minusSeconds(5));
	}

	@Test
	void waitsForItsTurnWhenRefused() {
		request("a");
		refuse(7);
		expect("ask 1 REENTRANT registers", "recheck 1000..30001");
		assertState(BackendState.Waiting.class);
	}

	@Test
	void asksAgainAtTheEndOfTheLeaseItHasSeen() {
		request("a");
		refuse(7, Duration.ofMillis(100));
		expect("ask 1 REENTRANT registers", "recheck 1000..101");
	}

	@Test
	void refusesOneThatTriedOnceAndRetires() {
		tries("a");
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "retire");
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ")
	void refusesThoseThatTryOnceBehindOneThatGoesOnWaiting(LockType type) {
		request("a", type);
		tries("b");
		tries("c", LockType.READ);
		refuse(7);
		expect("ask 1 " + type + " registers", "refuse b", "refuse c", "recheck 1000..30001");
	}

	@Test
	void asksAtOnceIfItWasWokenBeforeTheRefusal() {
		request("a");
		this.machine.woken(this.now);
		refuse(7);
		expect("ask 1 REENTRANT registers", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksWithAnotherTenureIfTheFirstHasEnded() {
		request("a");
		this.machine.replied(this.question, new LockBackend.AlreadyEnded(), this.askedAt, this.now);
		take();
		expect("ask 1 REENTRANT registers", "ask 2 REENTRANT registers");
	}

	@Test
	void letsAShortWaitHaveItsFirstAnswer() {
		waits("a", Duration.ofMillis(1));
		expire("a");
		expect("ask 1 REENTRANT registers");
		refuse(7);
		expect("refuse a", "leave 1", "retire");
	}

	@Test
	void endsAWaitThatHasHadItsAnswer() {
		waits("a", Duration.ofMillis(500));
		refuse(7);
		this.machine.woken(this.now);
		expire("a");
		expect("ask 1 REENTRANT registers", "recheck 1000..30001", "no recheck", "ask 1 REENTRANT registers at 7",
				"refuse a");
	}

	@Test
	void asksAgainForThoseThatCameWhileTheQuestionWasUnderWay() {
		tries("a");
		tries("b");
		tries("c");
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "ask 2 REENTRANT");
		refuse();
		expect("refuse b", "refuse c", "retire");
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "FAIR" })
	void refusesNobodyWithTheAnswerToAnotherKindOfQuestion(LockType type) {
		tries("a");
		tries("b", LockType.WRITE);
		tries("c", type);
		refuse();
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "ask 2 WRITE", "refuse b", "ask 3 " + type);
	}

	@Test
	void asksOnceMoreForOneWhoseShortWaitIsOverBeforeAQuestionOfItsOwn() {
		tries("a");
		waits("b", Duration.ofMillis(1));
		expire("b");
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "ask 2 REENTRANT");
		refuse();
		expect("refuse b", "retire");
	}

	@Test
	void leavesAfterAnAttemptIfTheRequestBeforeItHasGone() {
		leavesAnAttempt(LockType.REENTRANT, LockType.REENTRANT);
		refuse();
		expect("ask 1 REENTRANT", "refuse b", "leave 1", "retire");
	}

	@Test
	void leavesAfterAnAttemptThoughTheTenureWasGrantedMeanwhile() {
		leavesAnAttempt(LockType.REENTRANT, LockType.REENTRANT);
		directGrant(1, 5);
		refuse();
		expect("ask 1 REENTRANT", "refuse b", "leave 1", "retire");
	}

	@Test
	void leavesItsPlaceAfterAnAttemptIfItHasNoTenure() {
		this.machine = machine(LIMIT, false, false);
		leavesAnAttempt(LockType.REENTRANT, LockType.REENTRANT);
		refuse();
		expect("ask 2 REENTRANT", "refuse b", "leave", "retire");
	}

	@Test
	void endsTheTenureOfAWriterThatHasGoneBeforeItAsksForAReader() {
		leavesAnAttempt(LockType.WRITE, LockType.READ);
		directGrant(1, 5);
		refuse();
		expect("leave 1", "ask 2 READ", "leave 1", "refuse b", "leave", "retire");
	}

	@Test
	void keepsItsPlaceForOneThatComesWhileItAsksForAnAttempt() {
		leavesAnAttempt(LockType.REENTRANT, LockType.REENTRANT);
		request("c");
		refuse();
		expect("ask 1 REENTRANT", "refuse b", "ask 1 REENTRANT registers at 7");
	}

	/** A request is cancelled before its refusal; only an attempt is left. */
	private void leavesAnAttempt(LockType first, LockType attempt) {
		request("a", first);
		tries("b", attempt);
		withdraw("a");
		refuse(7);
		assertThat(this.effects).startsWith("ask 1 " + first + " registers", "recheck 1000..30001", "no recheck");
		this.effects.subList(0, 3).clear();
	}

	@Test
	void acceptsDirectGrantsOnlyOnTermsThatAMessageCanGrant() {
		request("a");
		assertThat(this.question.command().acceptsDirectGrant()).isTrue();
		refuse(7);
		fixed("b", LEASE);
		withdraw("a");
		wake();
		assertThat(this.question.command().acceptsDirectGrant()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "4999, false", "5000, true" })
	void acceptsDirectGrantsOnlyOfALeaseThatIsLongEnough(long millis, boolean accepts) {
		LockRequest request = LockRequest.of("name").waitTime(LockRequest.FOREVER);
		enter(new WalkWaiter("a", request, LockOwner.create("a"), Duration.ofMillis(millis), false, this.now));
		assertThat(this.question.command().acceptsDirectGrant()).isEqualTo(accepts);
	}

	@Test
	void asksOnTheTermsOfTheRequest() {
		hold("a", LockType.FAIR);
		enter(waiter("b", LockType.FAIR, LockRequest.FOREVER, Duration.ofSeconds(9), false));
		pass(Duration.ofSeconds(3));
		loseTenure("a");
		assertThat(this.question.command()).isEqualTo(new LockBackend.Acquire("name", new TenureId("me", 2),
				LockType.FAIR, "one/" + this.owners.get("b"), Duration.ofSeconds(9),
				new LockBackend.Waiting(OptionalLong.empty(), Duration.ofSeconds(3), false)));
	}

	@Test
	void servesAnOwnerThatHasTheLockWhateverIsObjected() {
		hold("a");
		this.owners.put("b", this.owners.get("a"));
		this.machine.request(waiter("b", LockType.REENTRANT, LockRequest.FOREVER, null, false),
				new LockRegistryClosedException("name"), this.now);
		take();
		expect("grant b REENTERED", "count 1");
	}

	@Test
	void ignoresTheEndOfTheWaitOfOneThatIsSettled() {
		waits("a", Duration.ofSeconds(1));
		grant(5);
		this.effects.clear();
		expire("a");
		assertThat(this.machine.withdraw(this.waiters.get("a"), this.now)).isFalse();
		take();
		expect();
	}

	@Test
	void countsOneThatTriesForTheLastTimeOnce() {
		waits("a", Duration.ofMillis(1));
		expire("a");
		expire("a");
		request("b");
		refuse(7);
		expect("ask 1 REENTRANT registers", "refuse a", "recheck 1000..30001");
	}

	@Test
	void refusesOneWhoseWaitIsOverWhileTheLockIsReleased() {
		this.machine = machine(0, true, false);
		hold("a");
		waits("b", Duration.ofMillis(5));
		unlock("a");
		this.effects.clear();
		expire("b");
		expect("refuse b");
	}

	@Test
	void leavesTheGivenBackToOthersIfNobodyHereGoesOnWaiting() {
		request("a");
		enter(waiter("b", LockType.REENTRANT, Duration.ZERO, LEASE, false));
		withdraw("a");
		grant(5);
		answer(Outcome.RELEASED);
		expect("ask 1 REENTRANT registers", "release 1 LEAVE", "stop 1", "ask 2 REENTRANT");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tellsWhoHasTheLockHere(boolean cancelled) {
		hold("a");
		waits("b", Duration.ofSeconds(3));
		pass(Duration.ofSeconds(3));
		if (cancelled) {
			withdraw("b");
		}
		else {
			expire("b");
		}
		assertThat(this.waiters.get("b").holder().label()).isEqualTo("one/" + this.owners.get("a"));
		assertThat(this.waiters.get("b").holder().heldFor()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void needsToKnowWhetherOthersAreHeardBeforeItHandsOverOrLetsReadersJoin() {
		WalkWaiter reader = waiter("r", LockType.READ, LockRequest.FOREVER, null, false);
		WalkWaiter writer = waiter("w", LockType.WRITE, LockRequest.FOREVER, null, false);
		request("a");
		request("b");
		assertThat(this.machine.needsSubscription(reader)).isFalse();
		grant(5);
		assertThat(this.machine.needsSubscription(null)).isTrue();
		withdraw("b");
		assertThat(this.machine.needsSubscription(null)).isFalse();
		assertThat(this.machine.needsSubscription(reader)).isTrue();
		assertThat(this.machine.needsSubscription(writer)).isFalse();
	}

	/** It may have come later than requests elsewhere. */
	@Test
	void givesNoFairRequestTheTurnOfAnotherThatHasGoneWhileOthersWait() {
		request("a", LockType.FAIR);
		request("b", LockType.FAIR);
		withdraw("a");
		grant(5, true);
		expect("ask 1 FAIR registers", "release 1 YIELD, ask 2 FAIR registers", "stop 1");
		answerFirst(9);
		expect("ask 2 FAIR registers at 9");
		grant(50, true);
		expect("grant b ACQUIRED", "renew 2");
	}

	@Test
	void givesAFairRequestTheTurnOfAnotherIfNobodyWaitsElsewhere() {
		request("a", LockType.FAIR);
		request("b", LockType.FAIR);
		withdraw("a");
		grant(5);
		expect("ask 1 FAIR registers", "grant b ACQUIRED", "renew 1");
	}

	/** What it waits with may have been granted for the one that has gone. */
	@Test
	void waitsForTheNextFairRequestWithAnotherTenure() {
		queued("a", LockType.FAIR);
		request("b", LockType.FAIR);
		withdraw("a");
		expect("no recheck", "leave 1", "ask 2 FAIR registers");
	}

}
