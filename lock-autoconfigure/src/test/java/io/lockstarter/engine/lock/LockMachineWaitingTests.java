package io.lockstarter.engine.lock;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.Test;

/**
 * What the machine of a name does while it waits for its turn.
 */
class LockMachineWaitingTests extends LockMachineFixture {

	@Test
	void asksWithTheSameTenureAndPlaceWhenWoken() {
		queued("a");
		wake();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksByItself() {
		queued("a");
		recheck();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAgainWhenACommandHasTakenItOutOfThoseThatWait() {
		queued("a");
		withdrawn();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAtOnceForOneThatTriesOnce() {
		queued("a");
		tries("b");
		expect("no recheck", "ask 1 REENTRANT registers at 7");
		refuse(7);
		expect("refuse b", "recheck 1000..30001");
	}

	@Test
	void leavesWhenTheLastWaiterHasGone() {
		queued("a");
		withdraw("a");
		expect("no recheck", "leave 1", "retire");
	}

	@Test
	void leavesItsPlaceIfItWaitsWithoutATenure() {
		fixed("a", LEASE);
		refuse(7);
		this.effects.clear();
		withdraw("a");
		expect("no recheck", "leave", "retire");
	}

	@Test
	void leavesWhenARequestHasGoneBeforeTheRefusal() {
		request("a");
		withdraw("a");
		refuse(7);
		expect("ask 1 REENTRANT registers", "leave 1", "retire");
	}

	@Test
	void asksForEachFairRequestWithAPlaceOfItsOwn() {
		request("a", LockType.FAIR);
		refuse(7);
		request("b", LockType.FAIR);
		this.effects.clear();
		withdraw("a");
		expect("no recheck", "leave 1", "ask 2 FAIR registers");
	}

	@Test
	void asksForAnotherTenureIfTheOneThatItWaitsWithHasEnded() {
		queued("a");
		wake();
		this.machine.replied(this.question, new LockBackend.AlreadyEnded(), this.askedAt, this.now);
		take();
		expect("no recheck", "ask 1 REENTRANT registers at 7", "ask 2 REENTRANT registers at 7");
	}

	@Test
	void leavesIfItMayNotAskForTheNext() {
		queued("a", LockType.FAIR);
		request("b", LockType.FAIR);
		withdraw("a");
		fail(Reason.NOT_AUTHORIZED);
		expect("no recheck", "leave 1", "ask 2 FAIR registers", "fail b: NOT_AUTHORIZED", "leave", "retire");
	}

	@Test
	void keepsThePlaceOfAFairRequest() {
		queued("a", LockType.FAIR);
		wake();
		expect("no recheck", "ask 1 FAIR registers at 7");
	}

	@Test
	void asksAtOnceIfItWasWokenBeforeTheAnswerToItsYielding() {
		yields();
		wake();
		expect();
		answer(Outcome.RELEASED, 9);
		expect("released a", "ask 2 REENTRANT registers at 9");
	}

	@Test
	void ignoresARecheckThatComesWhileItAsks() {
		request("a");
		recheck();
		refuse(7);
		expect("ask 1 REENTRANT registers", "recheck 1000..30001");
	}

	@Test
	void waitsOnForOneThatMayHaveThePlaceOfAFairRequest() {
		queued("a", LockType.FAIR);
		request("b");
		withdraw("a");
		expect();
		wake();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

}
