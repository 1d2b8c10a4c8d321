package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A backend that does not answer for a while: who stands in the queue is asked for again
 * until its own wait time is over, who has just come is told at once.
 */
class LockMachineOutageTests extends LockMachineFixture {

	@Test
	void tellsAnOutageAtTheEndOfAWait() {
		waits("a", Duration.ofSeconds(1));
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		this.effects.clear();
		expire("a");
		expect("fail a: READ_ONLY", "no recheck", "leave 1", "retire");
	}

	@Test
	void tellsOneThatTriesOnceOfAnOutage() {
		request("a");
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		this.effects.clear();
		tries("b");
		fail(Reason.READ_ONLY);
		expect("no recheck", "ask 1 REENTRANT registers at 7", "fail b: READ_ONLY", "pause 200");
	}

	@Test
	void doesNotAskAtOnceWhenAnEndIsConfirmedInAnOutage() {
		request("a");
		refuse(7);
		wake();
		fail(Reason.TIMEOUT);
		this.effects.clear();
		withdrawn();
		expect();
	}

	@Test
	void letsThoseWithALongerTimeoutPassInAnOutage() {
		fixed("a", Duration.ofMillis(60));
		refuse(7);
		request("b");
		wake();
		fail(Reason.TIMEOUT);
		this.effects.clear();
		recheck();
		expect("no recheck", "ask 3 REENTRANT registers at 7");
		assertThat(this.machine.waiters()).extracting(Object::toString).containsExactly("b", "a");
	}

	@ParameterizedTest
	@EnumSource
	void asksAgainForOneThatStandsInTheQueue(LockType type) {
		queued("a", type);
		wake();
		fail(Reason.UNREACHABLE);
		recheck();
		fail(Reason.TIMEOUT);
		recheck();
		expect("no recheck", "ask 1 " + type + " registers at 7", "end 1", "pause 100", "no recheck",
				"ask 2 " + type + " registers at 7", "end 2", "pause 200", "no recheck",
				"ask 3 " + type + " registers at 7");
		grant(5);
		expect("grant a ACQUIRED", "renew 3");
	}

	@Test
	void asksAgainForAFixedLease() {
		fixed("a", LEASE);
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		this.effects.clear();
		recheck();
		expect("no recheck", "ask 3 REENTRANT registers at 7");
	}

	@ParameterizedTest
	@EnumSource(names = { "UNREACHABLE", "TIMEOUT", "READ_ONLY", "LOADING", "CLUSTER_DOWN", "OUT_OF_MEMORY",
			"WRITES_REFUSED", "NOT_REPLICATED" })
	void waitsUntilWhatMayPassHasPassed(Reason reason) {
		queued("a");
		request("b");
		wake();
		fail(reason);
		assertThat(this.effects).endsWith("pause 100");
		assertThat(this.machine.waiting()).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource(names = { "NOT_AUTHORIZED", "FOREIGN_KEY", "CLOCKS_APART", "JVM_EXHAUSTED", "OTHER" })
	void tellsAllWhatSomebodyHasToPutRight(Reason reason) {
		queued("a");
		request("b");
		wake();
		fail(reason);
		expect("no recheck", "ask 1 REENTRANT registers at 7", "fail a: " + reason, "fail b: " + reason, "leave 1",
				"retire");
	}

	@Test
	void keepsThoseBehindOneThatStandsInTheQueue() {
		queued("a");
		request("b");
		wake();
		fail(Reason.READ_ONLY);
		request("c");
		for (String gone : List.of("a", "b")) {
			recheck();
			fail(Reason.READ_ONLY);
			withdraw(gone);
		}
		recheck();
		fail(Reason.READ_ONLY);
		recheck();
		this.effects.clear();
		grant(5);
		expect("grant c ACQUIRED", "renew 1");
	}

	@Test
	void keepsOneThatWaitedForAHolderOfItsOwnJvm() {
		this.machine = machine(0, true, false);
		hold("a");
		request("b");
		unlock("a");
		releaseFails(Reason.UNREACHABLE);
		fail(Reason.UNREACHABLE);
		expect("release 1 RETURN", "stop 1", "end 1", "unconfirmed a: UNREACHABLE", "ask 2 REENTRANT registers",
				"end 2", "pause 100");
	}

	@Test
	void keepsOneThatCameWhileTheLockWasAskedForAnother() {
		this.machine = machine(0, true, false);
		request("a");
		request("b");
		grant(5);
		unlock("a");
		answer(Outcome.RELEASED);
		this.effects.clear();
		fail(Reason.TIMEOUT);
		expect("end 2", "pause 100");
	}

	@Test
	void pausesLongerAndLonger() {
		queued("a");
		wake();
		for (long pause : new long[] { 100, 200, 400, 800, 1000, 1000 }) {
			this.effects.clear();
			fail(Reason.READ_ONLY);
			expect("pause " + pause);
			recheck();
		}
	}

	@Test
	void tellsForHowLongThereWasNoAnswerWhenTheWaitIsOver() {
		waits("a", Duration.ofSeconds(1));
		refuse(7);
		pass(Duration.ofMillis(600));
		wake();
		fail(Reason.READ_ONLY);
		pass(Duration.ofMillis(400));
		expire("a");
		assertThat(this.failure).hasMessageContaining("for the last 400 ms of 1000 ms waited: planted");
	}

	@Test
	void tellsWhoHasTheLockIfTheBackendHasAnsweredAgain() {
		waits("a", Duration.ofSeconds(1));
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		recheck();
		refuse(7);
		this.effects.clear();
		expire("a");
		expect("refuse a", "no recheck", "leave 1", "retire");
		assertThat(this.waiters.get("a").holder().label()).isEqualTo("another");
	}

	@Test
	void endsAWaitInTimeThoughTheLatestQuestionIsNotAnswered() {
		outage();
		recheck();
		waits("b", Duration.ofMillis(1));
		this.effects.clear();
		expire("b");
		expect("fail b: READ_ONLY");
	}

	@Test
	void asksAtOnceWhenItIsWoken() {
		outage();
		wake();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void leavesAtOnceWhenTheRequestIsWithdrawn() {
		outage();
		withdraw("a");
		expect("no recheck", "leave 1", "retire");
	}

	@Test
	void failsAtOnceWhenItIsClosed() {
		outage();
		close();
		expect("fail a: LockRegistryClosedException", "no recheck", "leave 1", "retire");
	}

	private void outage() {
		queued("a");
		wake();
		fail(Reason.READ_ONLY);
		this.effects.clear();
	}

	@Test
	void asksForWhatAMessageGrantsInAnOutage() {
		outage();
		directGrant(1, 5);
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void keepsATenureThatWasGrantedWhileAQuestionFailed() {
		queued("a");
		wake();
		directGrant(1, 5);
		fail(Reason.READ_ONLY);
		recheck();
		expect("no recheck", "ask 1 REENTRANT registers at 7", "pause 100", "no recheck",
				"ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAgainIfItWasTakenOutWhileItAskedInAnOutage() {
		outage();
		recheck();
		withdrawn();
		this.effects.clear();
		refuse(7);
		expect("ask 1 REENTRANT registers at 7");
	}

	@Test
	void tellsOneThatTriesOnceTheFailureItself() {
		outage();
		tries("b");
		fail(Reason.READ_ONLY);
		assertThat(this.failure).hasMessageContaining("planted").hasMessageNotContaining("waited");
	}

}
