package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How tenures and holds end in the machine of a name: released, given back, or lost.
 */
class LockMachineEndingTests extends LockMachineFixture {

	@Test
	void asksForTheNextInTheSameStepWhenTheLockIsLost() {
		hold("a");
		request("b");
		loseTenure("a");
		expect("stop 1", "lost a: NOT_OWNED", "ask 2 REENTRANT registers");
	}

	@Test
	void endsALostTenureWhenItsHolderReleasesIt() {
		hold("a");
		loseTenure("a");
		assertThat(unlock("a")).isEqualTo(UnlockResult.LOST);
		expect("stop 1", "lost a: NOT_OWNED", "retire", "end 1", "a knows of the loss");
	}

	@Test
	void losesATenureOnce() {
		hold("a");
		Tenure tenure = tenureOf("a");
		this.machine.ended(tenure, LockLoss.Reason.NOT_OWNED, this.now);
		this.machine.ended(tenure, LockLoss.Reason.LEASE_EXPIRED, this.now);
		take();
		expect("stop 1", "lost a: NOT_OWNED", "retire");
	}

	@Test
	void noticesWithAnyEventThatTheLeaseIsOver() {
		hold("a");
		pass(LEASE);
		request("b");
		expect("stop 1", "lost a: LEASE_EXPIRED", "ask 2 REENTRANT registers");
	}

	@ParameterizedTest
	@EnumSource
	void noticesWithTheReleaseThatTheLeaseIsOver(LockType type) {
		hold("a", type);
		pass(LEASE);
		assertThat(unlock("a")).isEqualTo(UnlockResult.LOST);
		expect("stop 1", "lost a: LEASE_EXPIRED", "end 1", "a knows of the loss", "retire");
	}

	@Test
	void givesATenureToTheNextWhenItsOwnerHasEnded() {
		hold("a");
		request("b");
		endOwner("a");
		expect("lost a: OWNER_ENDED", "grant b HANDED_OVER");
	}

	@Test
	void returnsWithoutWakingOthersWhenItMayNotHandOver() {
		holdFixed();
		request("b");
		this.effects.clear();
		unlock("a");
		expect("release 1 RETURN", "stop 1");
		answer(Outcome.RELEASED);
		expect("released a", "ask 2 REENTRANT registers");
	}

	@Test
	void wakesOthersIfItDoesNotReturnAfterAll() {
		holdFixed();
		request("b");
		unlock("a");
		withdraw("b");
		this.effects.clear();
		answer(Outcome.RELEASED);
		expect("released a", "leave", "retire");
	}

	@Test
	void waitsForItsTurnAfterItHasYielded() {
		yields();
		answer(Outcome.RELEASED, 9);
		expect("released a", "recheck 1000");
		assertState(BackendState.Waiting.class);
		wake();
		expect("no recheck", "ask 2 REENTRANT registers at 9");
	}

	@Test
	void wakesOthersIfItWasTheTurnOfAFairRequestThatHasGone() {
		hold("a", LockType.FAIR);
		request("b", LockType.FAIR);
		contended();
		unlock("a");
		withdraw("b");
		answerFirst(9);
		expect("release 1 YIELD, ask 2 FAIR registers", "stop 1", "released a", "leave 2", "retire");
	}

	@Test
	void asksAtOnceIfNobodyWaitsBeforeAFairRequest() {
		hold("a", LockType.FAIR);
		contended();
		request("b", LockType.FAIR);
		unlock("a");
		answerFirst(9);
		expect("release 1 YIELD, ask 2 FAIR registers", "stop 1", "released a", "ask 2 FAIR registers at 9");
		grant(50);
		expect("grant b ACQUIRED", "renew 2");
	}

	@Test
	void asksIfNobodyWasThereToYieldTo() {
		yields();
		answer(Outcome.RELEASED);
		expect("released a", "ask 3 REENTRANT registers");
	}

	@Test
	void endsBothTenuresIfTheAnswerToItsYieldingIsLost() {
		yields();
		releaseFails(Reason.TIMEOUT);
		expect("end 1", "unconfirmed a: TIMEOUT", "end 2", "ask 3 REENTRANT registers");
	}

	@Test
	void leavesAfterItHasYieldedIfNobodyWaitsAnyMore() {
		yields();
		withdraw("b");
		answer(Outcome.RELEASED, 9);
		expect("released a", "leave 2", "retire");
	}

	@Test
	void tellsALossThatOnlyTheReleaseHasFound() {
		releasing();
		answer(Outcome.NOT_HELD);
		expect("found lost a: NOT_OWNED", "retire");
	}

	@Test
	void isReleasedIfTheLeaseRanWhenTheReleaseBegan() {
		releasing();
		pass(LEASE);
		answer(Outcome.NOT_HELD);
		expect("unconfirmed a: TIMEOUT", "retire");
	}

	@Test
	void takesARepeatedReleaseThatFindsNothingForAnUnconfirmedOne() {
		hold("a");
		unlock("a");
		this.effects.clear();
		answer(Outcome.UNKNOWN);
		expect("unconfirmed a: UNREACHABLE", "retire");
	}

	@Test
	void takesARepeatedReleaseForARelease() {
		releasing();
		answer(Outcome.RELEASED_BEFORE);
		expect("released a", "retire");
	}

	@Test
	void endsForSureWhatTheBackendHasNotConfirmed() {
		releasing();
		releaseFails(Reason.UNREACHABLE);
		expect("end 1", "unconfirmed a: UNREACHABLE", "retire");
	}

	@Test
	void keepsARequestThatComesWhileItReleases() {
		hold("a");
		unlock("a");
		request("b");
		this.effects.clear();
		answer(Outcome.RELEASED);
		expect("released a", "ask 2 REENTRANT registers");
	}

	@Test
	void asksAlongWithTheReleaseWhereCommandsKeepTheirOrder() {
		returnsInOrder();
		answer(Outcome.RELEASED);
		expect();
		grant(50);
		expect("grant b ACQUIRED", "renew 2", "released a");
	}

	@Test
	void tellsOfTheReleaseIfTheQuestionThatWentAlongFails() {
		returnsInOrder();
		answer(Outcome.RELEASED);
		fail(Reason.NOT_AUTHORIZED);
		expect("fail b: NOT_AUTHORIZED", "leave", "retire", "released a");
	}

	@Test
	void tellsOfTheReleaseAtOnceIfTheQuestionWasAnsweredBefore() {
		returnsInOrder();
		grant(50);
		answer(Outcome.RELEASED);
		expect("grant b ACQUIRED", "renew 2", "released a");
	}

	@Test
	void asksAgainIfTheQuestionCameBeforeTheRelease() {
		returnsInOrder();
		refuse(9);
		answer(Outcome.RELEASED);
		expect("recheck 1000..30001", "released a", "no recheck", "ask 2 REENTRANT registers at 9");
	}

	@Test
	void waitsIfAnotherInstanceCameBetweenTheReleaseAndTheQuestion() {
		returnsInOrder();
		answer(Outcome.RELEASED);
		refuse(9);
		expect("recheck 1000..30001", "released a");
	}

	@Test
	void wakesOthersWhenAReleaseComesAfterAllHaveLeft() {
		returnsInOrder();
		refuse(9);
		withdraw("b");
		expect("recheck 1000..30001", "no recheck", "leave 2");
		answer(Outcome.RELEASED);
		expect("released a", "leave", "retire");
	}

	@Test
	void failsAllWhoWaitWhenItIsClosed() {
		hold("a");
		request("b");
		request("c");
		close();
		expect("fail b: LockRegistryClosedException", "fail c: LockRegistryClosedException");
		unlock("a");
		expect("release 1 LEAVE", "stop 1");
	}

	@Test
	void givesBackAGrantThatComesAfterTheClose() {
		request("a");
		close();
		grant(5);
		expect("ask 1 REENTRANT registers", "fail a: LockRegistryClosedException", "release 1 LEAVE", "stop 1");
	}

	@Test
	void losesTheHolderOfTheMoment() {
		hold("a");
		request("b");
		unlock("a");
		request("c");
		this.effects.clear();
		loseTenure("b");
		expect("stop 1", "lost b: NOT_OWNED", "ask 2 REENTRANT registers");
		assertThat(this.holds.get("b").loss().fencingToken()).isEqualTo(5 * 1024 + 1);
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "WRITE" })
	void returnsAfterALongHoldWhileNobodyWaitsElsewhere(LockType next) {
		this.machine = machine(0, true, false);
		hold("a");
		request("b", next);
		pass(Duration.ofMillis(20));
		unlock("a");
		expect("release 1 RETURN", "stop 1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a message", "the grant", "silence" })
	void yieldsAfterALongHoldToOthers(String toldBy) {
		this.machine = machine(0, true, false);
		this.hears = !toldBy.equals("silence");
		request("a");
		grant(5, toldBy.equals("the grant"));
		if (toldBy.equals("a message")) {
			contended();
		}
		request("b");
		pass(Duration.ofMillis(20));
		this.effects.clear();
		unlock("a");
		expect("release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	/**
	 * Nobody else would be woken, and this client refused for their sake, or granted what
	 * they could share. That nobody is known to wait does not mean that nobody does.
	 */
	@ParameterizedTest
	@EnumSource(names = { "READ", "FAIR" })
	void yieldsToOthersIfItWouldBeSentBehindThem(LockType next) {
		this.machine = machine(0, true, false);
		hold("a");
		request("b", next);
		unlock("a");
		expect("release 1 YIELD, ask 2 " + next + " registers", "stop 1");
	}

	@Test
	void yieldsWhenItHasReturnedOftenEnough() {
		this.machine = machine(0, true, false);
		request("0");
		int returns = 0;
		do {
			grant(5 + returns, true);
			request("" + (returns + 1));
			unlock("" + returns);
			answer(Outcome.RELEASED);
			returns++;
		}
		while (this.effects.contains("release %d RETURN".formatted(returns)));
		assertThat(returns).isEqualTo(65);
		assertThat(this.effects).contains("release 65 YIELD, ask 66 REENTRANT registers");
	}

	@Test
	void asksAgainIfTheReleaseBeforeTheQuestionFails() {
		returnsInOrder();
		refuse(9);
		releaseFails(Reason.UNREACHABLE);
		expect("recheck 1000..30001", "end 1", "unconfirmed a: UNREACHABLE", "no recheck",
				"ask 2 REENTRANT registers at 9");
	}

	@Test
	void isReleasedIfTheLeaseRanWhenTheQuestionWentAlong() {
		this.machine = machine(LIMIT, true, true);
		holdFixed();
		request("b");
		pass(Duration.ofSeconds(29));
		unlock("a");
		pass(Duration.ofSeconds(1));
		this.effects.clear();
		answer(Outcome.NOT_HELD);
		grant(50);
		expect("grant b ACQUIRED", "renew 2", "unconfirmed a: TIMEOUT");
	}

	@Test
	void noticesByItselfThatTheLeaseIsOver() {
		hold("a");
		pass(LEASE);
		this.machine.tick(this.now);
		take();
		expect("stop 1", "lost a: LEASE_EXPIRED", "retire");
	}

	@ParameterizedTest
	@EnumSource
	void givesNoOwnerALockAgainWhoseLeaseIsOver(LockType type) {
		hold("a", type);
		pass(LEASE);
		requestAgain("b", "a", type);
		expect("stop 1", "lost a: LEASE_EXPIRED", "ask 2 " + type + " registers");
	}

	@Test
	void endsNothingThatIsFoundLostWhileItIsOnOffer() {
		hold("a");
		sleeps("b");
		unlock("a");
		loseTenure("a");
		expect("signal b", "stop 1", "ask 2 REENTRANT registers");
	}

	@Test
	void endsALostTenureForAsLongAsTheBackendMayKeepIt() {
		hold("a");
		pass(LEASE);
		unlock("a");
		assertThat(this.ended.longest()).isEqualTo(LEASE);
	}

	@Test
	void tellsForHowLongTheLockWasHeldWhenItsReleaseBegan() {
		hold("a");
		pass(Duration.ofSeconds(3));
		unlock("a");
		pass(Duration.ofSeconds(1));
		answer(Outcome.RELEASED);
		assertThat(this.heldFor).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void owesNoWakeUpWhenItWasRefused() {
		holdFixed();
		request("b");
		unlock("a");
		answer(Outcome.RELEASED);
		withdraw("b");
		this.effects.clear();
		refuse();
		expect("retire");
	}

	@Test
	void owesNoWakeUpWhenItHasTakenTheLockAgain() {
		holdFixed();
		request("b");
		unlock("a");
		answer(Outcome.RELEASED);
		grant(50);
		this.effects.clear();
		loseTenure("b");
		expect("stop 2", "lost b: NOT_OWNED", "retire");
	}

	@Test
	void owesNoWakeUpIfNobodyWasThereToYieldTo() {
		yields();
		withdraw("b");
		answer(Outcome.RELEASED);
		expect("released a", "retire");
	}

	@Test
	void endsBothTenuresIfTheRequestThatItYieldsForHasGone() {
		yields();
		withdraw("b");
		releaseFails(Reason.UNREACHABLE);
		expect("end 1", "unconfirmed a: UNREACHABLE", "end 2", "retire");
	}

}
