package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.engine.lease.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the machine of a name makes of a lock that is granted by a message, which may be
 * late, repeated, or not wanted any more.
 */
class LockMachineDirectGrantTests extends LockMachineFixture {

	@Test
	void takesADirectGrant() {
		queued("a");
		directGrant(1, 5);
		expect("no recheck", "grant a ACQUIRED", "renew 1");
		assertThat(this.holds.get("a").token()).isEqualTo(5 * 1024);
		assertThat(this.holds.get("a").remainingLease(this.now)).isBetween(LEASE.minusSeconds(1), LEASE);
	}

	@Test
	void asksAgainIfTheLeaseOfADirectGrantIsOver() {
		queued("a");
		directGrant(1, 5, LEASE);
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	/**
	 * That grant may be over. An instance of the version before tells when it has granted
	 * the lock, for a second.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, -1, 5_000_000 })
	void asksAgainIfAnotherCopyOfItsRequestIsGranted(long micros) {
		queued("a");
		directGrant(offer(1, 5, micros() + micros));
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAgainIfARequestIsGrantedThatItHasRepeated() {
		queued("a");
		LockBackend.DirectGrant late = offer(1, 5, micros());
		pass(Duration.ofSeconds(1));
		recheck();
		refuse(7);
		this.effects.clear();
		directGrant(late);
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void endsADirectGrantOfATenureThatItWaitsWithNoMore() {
		queued("a");
		directGrant(9, 5);
		expect("leave 9");
		assertState(BackendState.Waiting.class);
	}

	@ParameterizedTest
	@EnumSource
	void takesARepeatedDirectGrantOnce(LockType type) {
		queued("a", type);
		directGrant(1, 5);
		this.effects.clear();
		directGrant(1, 5);
		expect();
		assertThat(this.machine.holds()).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void ignoresADirectGrantThatComesAfterTheAnswer(LockType type) {
		queued("a", type);
		wake();
		grant(5);
		this.effects.clear();
		directGrant(1, 5);
		expect();
		assertThat(this.machine.holds()).hasSize(1);
	}

	@Test
	void registersForNoDirectGrantsWhereThereAreNone() {
		this.machine = machine(LIMIT, false, false);
		queued("a");
		wake();
		expect("no recheck", "ask 2 REENTRANT registers at 7");
	}

	@Test
	void handsOnAGrantThatNobodyWaitsFor() {
		directGrant(7, 5);
		expect("leave 7");
	}

	@Test
	void endsWhatWasGrantedByAMessageIfTheQuestionFails() {
		request("a");
		directGrant(1, 5);
		fail(Reason.READ_ONLY);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: READ_ONLY", "retire");
	}

	@Test
	void asksForAGrantThatIsQuickerThanTheAnswerToItsYielding() {
		yields();
		directGrant(2, 50);
		expect();
		answer(Outcome.RELEASED, 9);
		expect("released a", "ask 2 REENTRANT registers at 9");
	}

	@Test
	void takesADirectGrantAfterItHasYielded() {
		yields();
		answer(Outcome.RELEASED, micros());
		this.effects.clear();
		directGrant(2, 50);
		expect("no recheck", "grant b ACQUIRED", "renew 2");
	}

	@Test
	void countsTheLeaseFromTheRequestHoweverLateTheMessageIs() {
		queued("a");
		directGrant(1, 5, Duration.ofSeconds(10));
		assertThat(this.holds.get("a").remainingLease(this.now)).isLessThan(LEASE.minusSeconds(10));
	}

	/** Only the wall clock goes on while the machine is suspended. */
	@Test
	void countsTheLeaseFromTheRequestIfItIsSuspendedMeanwhile() {
		queued("a");
		this.now = new Moment(this.now.nanos(), this.now.millis() + 10_000);
		directGrant(1, 5);
		assertThat(this.holds.get("a").remainingLease(this.now)).isLessThan(LEASE.minusSeconds(10));
	}

	@Test
	void asksAgainIfTheLeaseHasEndedWhileItWasSuspended() {
		queued("a");
		this.now = new Moment(this.now.nanos(), this.now.millis() + LEASE.toMillis());
		directGrant(1, 5);
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	/**
	 * The rest might end before it is confirmed. The lock is not given back to others.
	 */
	@Test
	void asksAgainWhenMostOfTheLeaseIsOver() {
		queued("a");
		directGrant(1, 5, LEASE.dividedBy(2));
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void grantsTheTurnOfOneWhoHasGoneToAnotherThatWaitedAlready() {
		queued("a");
		request("b");
		pass(Duration.ofSeconds(1));
		recheck();
		refuse(7);
		withdraw("a");
		this.effects.clear();
		directGrant(1, 5, Duration.ofMillis(700));
		expect("no recheck", "grant b ACQUIRED", "renew 1");
	}

	/** The backend may have lost its memory since then. */
	@Test
	void asksForAGrantThatIsOlderThanTheRequestItGoesTo() {
		queued("a");
		pass(Duration.ofMillis(100));
		request("b");
		withdraw("a");
		this.effects.clear();
		directGrant(1, 5, Duration.ofMillis(700));
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	/**
	 * The first reply was lost, and the client library asks again: the message overtakes
	 * the answer that has the lock.
	 */
	@Test
	void leavesAGrantToTheAnswerToItsFirstQuestion() {
		request("a");
		directGrant(1, 5);
		expect("ask 1 REENTRANT registers");
		grant(5);
		expect("grant a ACQUIRED", "renew 1");
	}

	@Test
	void asksForAGrantThatIsQuickerThanTheFirstAnswer() {
		request("a");
		directGrant(1, 5);
		refuse(7);
		expect("ask 1 REENTRANT registers", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void leavesAGrantToTheAnswerThatIsUnderWay() {
		queued("a");
		wake();
		directGrant(1, 5);
		grant(5);
		expect("no recheck", "ask 1 REENTRANT registers at 7", "grant a ACQUIRED", "renew 1");
	}

	@Test
	void asksAtOnceWhenTheAnswerUnderWayWasGivenBeforeTheGrant() {
		queued("a");
		wake();
		directGrant(1, 5);
		refuse(7);
		expect("no recheck", "ask 1 REENTRANT registers at 7", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void givesBackAGrantWhoseTermsNobodyCanUseAnyMore() {
		queued("a");
		fixed("b", LEASE);
		withdraw("a");
		directGrant(1, 5);
		expect("no recheck", "release 1 RETURN", "stop 1");
		answer(Outcome.RELEASED);
		expect("ask 2 REENTRANT registers");
	}

	@Test
	void takesAGrantOfAFairLockAfterItHasYielded() {
		yieldsFairly();
		directGrant(2, 50);
		expect("no recheck", "grant b ACQUIRED", "renew 2");
	}

	@Test
	void countsTheLeaseOfAFairLockFromItsYielding() {
		yieldsFairly();
		directGrant(2, 50, Duration.ofSeconds(10));
		assertThat(this.holds.get("b").remainingLease(this.now)).isLessThan(LEASE.minusSeconds(10));
	}

	/** Its place among the waiting is earlier than the time when it yielded. */
	private void yieldsFairly() {
		hold("a", LockType.FAIR);
		contended();
		request("b", LockType.FAIR);
		pass(Duration.ofMillis(200));
		unlock("a");
		answer(Outcome.RELEASED, micros() - 200_000);
		this.effects.clear();
	}

	@Test
	void endsAGrantOfAnotherTenureThanItYieldsWith() {
		yields();
		directGrant(9, 5);
		expect("leave 9");
	}

	@Test
	void endsAGrantThatIsQuickerThanTheFailureOfItsYielding() {
		yields();
		directGrant(2, 50);
		releaseFails(Reason.TIMEOUT);
		expect("end 1", "unconfirmed a: TIMEOUT", "end 2", "ask 3 REENTRANT registers");
	}

}
