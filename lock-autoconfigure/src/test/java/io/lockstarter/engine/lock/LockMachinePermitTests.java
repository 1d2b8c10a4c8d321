package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.OptionalLong;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the machine of a name makes of requests for one of several permits.
 */
class LockMachinePermitTests extends LockMachineFixture {

	private static final int PERMITS = 3;

	@Test
	void asksWithTheNumberOfPermits() {
		permit("a");
		expect("ask 1 REENTRANT registers");
		assertThat(this.question.command().permits()).isEqualTo(PERMITS);
	}

	@Test
	void asksForOneAfterTheOther() {
		permit("a");
		permit("b");
		expect("ask 1 REENTRANT registers");
		grant(5);
		expect("renew 1", "ask 2 REENTRANT registers", "grant a ACQUIRED");
		grant(21);
		expect("renew 2", "grant b ACQUIRED");
		assertState(BackendState.Idle.class);
		assertThat(this.machine.tenures()).hasSize(2);
		assertThat(this.holds.get("a").token()).isNotEqualTo(this.holds.get("b").token());
	}

	@Test
	void givesEachTenureToOneAlone() {
		holdPermit("a");
		permit("b");
		expect("ask 2 REENTRANT registers");
		request("r", LockType.READ);
		refuse(7);
		expect("recheck 1000..30001");
	}

	@Test
	void handsOneOverWhileItWaitsForAnother() {
		holdPermit("a");
		permit("b");
		refuse(7);
		permit("c");
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASED);
		expect("grant b HANDED_OVER");
		assertThat(this.holds.get("b").token()).isEqualTo(this.holds.get("a").token() + 1);
		assertState(BackendState.Waiting.class);
	}

	/** The server may be granting it another at this moment, which nobody needs then. */
	@Test
	void handsOverNoneToTheLastThatWaits() {
		holdPermit("a");
		permit("b");
		refuse(7);
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 STAY", "stop 1");
		directGrant(2, 21);
		expect("no recheck", "renew 2", "grant b ACQUIRED");
	}

	@Test
	void asksAtOnceForWhatIsReleasedHereWhereNoMessagesAreHeard() {
		this.hears = false;
		holdPermit("a");
		permit("b");
		refuse(7);
		unlock("a");
		this.effects.clear();
		answer(Outcome.RELEASED);
		expect("released a", "no recheck", "ask 2 REENTRANT registers at 7");
	}

	@Test
	void handsOverNoneWhileAnotherIsAskedFor() {
		holdPermit("a");
		permit("b");
		permit("c");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("ask 2 REENTRANT registers", "release 1 STAY", "stop 1");
		grant(21);
		expect("renew 2", "ask 3 REENTRANT registers", "grant b ACQUIRED");
	}

	@Test
	void handsOverNoneBeforeAFairRequest() {
		holdPermit("a");
		permit("b");
		refuse(7);
		enter(waiter("c", PERMITS, LockType.FAIR, LockRequest.FOREVER));
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsOverNoPermitThatTheServerHasNotLatelyConfirmed() {
		holdPermit("a");
		permit("b");
		refuse(7);
		pass(AGE);
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsOverAsOftenAsOthersLetIt() {
		holdPermit("a");
		permit("b");
		refuse(7);
		permit("c");
		permit("d");
		contended();
		this.effects.clear();
		unlock("a");
		unlock("b");
		expect("grant b HANDED_OVER", "grant c HANDED_OVER");
		unlock("c");
		expect("release 1 STAY", "stop 1");
		answer(Outcome.RELEASED);
		expect("released c");
		assertState(BackendState.Waiting.class);
		directGrant(2, 37);
		expect("no recheck", "renew 2", "grant d ACQUIRED");
	}

	@Test
	void handsNothingOverIfThatIsSwitchedOff() {
		this.machine = machine(0, true, false);
		holdPermit("a");
		permit("b");
		refuse(7);
		this.effects.clear();
		unlock("a");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsNothingOverToOneWithAnotherNumber() {
		holdPermit("a");
		permit("b", PERMITS + 1);
		refuse(7);
		this.effects.clear();
		unlock("a");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsNothingOverPastOneWhoWouldBeAlone() {
		holdPermit("a");
		request("alone");
		refuse(7);
		permit("b");
		this.effects.clear();
		unlock("a");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsNothingOverWhenLittleIsLeftOfTheLease() {
		holdPermit("a");
		permit("b");
		refuse(7);
		this.effects.clear();
		pass(Duration.ofSeconds(16));
		unlock("a");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void handsAFairOneOverOnlyWhileNobodyElseWaits() {
		enter(waiter("a", PERMITS, LockType.FAIR, LockRequest.FOREVER));
		grant(5);
		enter(waiter("b", PERMITS, LockType.FAIR, LockRequest.FOREVER));
		refuse(7);
		contended();
		this.effects.clear();
		unlock("a");
		expect("release 1 STAY", "stop 1");
	}

	@Test
	void registersAnewForOneWithAnotherNumber() {
		permit("a");
		refuse(7);
		permit("b", PERMITS + 1);
		this.effects.clear();
		withdraw("a");
		expect("no recheck", "leave 1", "ask 2 REENTRANT registers at 7");
		assertThat(this.question.command().permits()).isEqualTo(PERMITS + 1);
	}

	@Test
	void givesBackAGrantOfAnotherNumber() {
		permit("a");
		permit("b", PERMITS + 1);
		withdraw("a");
		grant(5);
		expect("ask 1 REENTRANT registers", "release 1 STAY", "stop 1", "ask 2 REENTRANT registers");
	}

	@Test
	void letsItsOwnerTakeItAgain() {
		holdPermit("a");
		again("b", "a", PERMITS);
		expect("grant b REENTERED", "count 1");
		again("c", "a", PERMITS + 5);
		expect("grant c REENTERED", "count 1");
		requestAgain("d", "a", LockType.READ);
		expect("grant d REENTERED", "count 1");
		for (int i = 0; i < 3; i++) {
			assertThat(unlock("a")).isEqualTo(UnlockResult.STILL_HELD);
		}
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
	}

	@Test
	void takesAnExclusiveHoldAgainInsteadOfAPermit() {
		hold("a");
		again("b", "a", PERMITS);
		expect("grant b REENTERED", "count 1");
		assertThat(unlock("a")).isEqualTo(UnlockResult.STILL_HELD);
		assertThat(unlock("b")).isEqualTo(UnlockResult.RELEASING);
	}

	@Test
	void refusesMoreThanAPermitToItsOwner() {
		holdPermit("a");
		requestAgain("b", "a", LockType.REENTRANT);
		expect("fail b: LockUpgradeException");
		assertThat(this.failure).isInstanceOf(LockUpgradeException.class)
			.hasMessageContaining("with one of several permits");
	}

	@Test
	void refusesAPermitToOneWhoReads() {
		hold("a", LockType.READ);
		again("b", "a", PERMITS);
		expect("fail b: LockUpgradeException");
	}

	@Test
	void refusesThoseThatTryOnceBehindOneThatGoesOnWaiting() {
		permit("a");
		enter(waiter("b", PERMITS, LockType.REENTRANT, Duration.ZERO));
		refuse(7);
		expect("ask 1 REENTRANT registers", "refuse b", "recheck 1000..30001");
	}

	@Test
	void asksOnceMoreForOneThatTriesOnceWithAnotherNumber() {
		enter(waiter("a", PERMITS, LockType.REENTRANT, Duration.ZERO));
		enter(waiter("b", PERMITS + 1, LockType.REENTRANT, Duration.ZERO));
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "ask 2 REENTRANT");
	}

	@Test
	void losesOneAloneAndFreesItNoMore() {
		holdPermit("a");
		permit("b");
		grant(21);
		this.effects.clear();
		this.machine.ended(tenureOf("a"), LockLoss.Reason.NOT_OWNED, this.now);
		take();
		expect("stop 1", "lost a: NOT_OWNED");
		assertThat(unlock("a")).isEqualTo(UnlockResult.LOST);
		this.effects.clear();
		assertThat(this.holds.get("b").isValid(this.now)).isTrue();
		assertThat(unlock("b")).isEqualTo(UnlockResult.RELEASING);
		expect("release 2 STAY", "stop 2");
	}

	@Test
	void freesTheOneOfAnOwnerThatHasEnded() {
		holdPermit("a");
		this.machine.ended(this.holds.get("a"), LockLoss.Reason.OWNER_ENDED, this.now);
		take();
		expect("lost a: OWNER_ENDED", "release 1 STAY", "stop 1");
	}

	@Test
	void declaresThoseLostWhoseLeaseIsOver() {
		holdPermit("a");
		pass(LEASE);
		this.machine.tick(this.now);
		take();
		expect("stop 1", "lost a: LEASE_EXPIRED", "retire");
	}

	@Test
	void endsForSureWhatMayHaveBeenGranted() {
		holdPermit("a");
		permit("b");
		fail(Reason.TIMEOUT);
		expect("ask 2 REENTRANT registers", "end 2", "fail b: TIMEOUT");
		assertThat(this.holds.get("a").isValid(this.now)).isTrue();
	}

	@Test
	void yieldsWhenOneWhoWasAloneLeavesSoThatOthersAreLetInToo() {
		hold("a");
		permit("b");
		unlock("a");
		expect("release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
		directGrant(2, 21);
		answer(Outcome.RELEASED, 7);
		expect("released a", "ask 2 REENTRANT registers at 7");
	}

	@Test
	void tellsOfAllHoldersRatherThanOfTheOneHere() {
		holdPermit("a");
		enter(waiter("b", PERMITS, LockType.REENTRANT, Duration.ZERO));
		this.machine.replied(this.question, new LockBackend.Refused(new Holder("another", Duration.ZERO, LEASE, 2),
				OptionalLong.empty(), this.now.nanos() / 1000), this.askedAt, this.now);
		take();
		assertThat(this.waiters.get("b").holder()).isEqualTo(new Holder("another", Duration.ZERO, LEASE, 2));
	}

	@Test
	void tellsOfTheOneHereWhoExcludesAll() {
		permit("p");
		request("a");
		refuse(7);
		withdraw("p");
		grant(5);
		this.effects.clear();
		enter(waiter("b", PERMITS, LockType.REENTRANT, Duration.ZERO));
		expect("refuse b");
		assertThat(this.waiters.get("b").holder().label()).startsWith("one/a");
	}

	private void holdPermit(String name) {
		permit(name);
		grant(5);
		this.effects.clear();
	}

	private void permit(String name) {
		permit(name, PERMITS);
	}

	private void permit(String name, int permits) {
		enter(waiter(name, permits, LockType.REENTRANT, LockRequest.FOREVER));
	}

	private void again(String name, String owner, int permits) {
		this.owners.put(name, this.owners.get(owner));
		permit(name, permits);
	}

	private WalkWaiter waiter(String name, int permits, LockType type, Duration wait) {
		LockRequest request = LockRequest.of("name").type(type).permits(permits).waitTime(wait);
		LockOwner owner = this.owners.computeIfAbsent(name, LockOwner::create);
		WalkWaiter waiter = new WalkWaiter(name, request, owner, LEASE, false, this.now);
		this.waiters.put(name, waiter);
		return waiter;
	}

}
