package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.engine.lease.Lease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When a released lock stays in this JVM, for how long, and with which token.
 */
class LockMachineHandoverTests extends LockMachineFixture {

	@Test
	void releasesTheLockThatNobodyWaitsFor() {
		hold("a");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 LEAVE", "stop 1");
		assertThat(this.releases.get(0).command().allReplied()).isTrue();
		assertState(BackendState.Releasing.class);
		answer(Outcome.RELEASED);
		expect("released a", "retire");
	}

	@Test
	void letsItsOwnerReenter() {
		hold("a");
		requestAgain("b", "a", LockType.REENTRANT);
		expect("grant b REENTERED", "count 1");
		assertThat(tenureOf("a").count()).isEqualTo(2);
		assertThat(unlock("b")).isEqualTo(UnlockResult.STILL_HELD);
		expect("count 1");
		assertThat(tenureOf("a").count()).isOne();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
	}

	@Test
	void grantsAllThatItsOwnerHasAskedForAtOnce() {
		tries("a");
		this.owners.put("b", this.owners.get("a"));
		tries("b");
		tries("c");
		grant(5);
		expect("ask 1 REENTRANT", "grant a ACQUIRED", "grant b REENTERED", "count 1", "renew 1", "refuse c");
		assertThat(this.holds.get("b")).isSameAs(this.holds.get("a"));
		assertThat(this.holds.get("a").count()).isEqualTo(2);
	}

	@Test
	void cannotBeReleasedTwice() {
		hold("a");
		unlock("a");
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> unlock("a"));
	}

	@Test
	void handsTheLockToTheNextThatNoThreadWaitsFor() {
		hold("a");
		request("b");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASED);
		expect("grant b HANDED_OVER");
		assertThat(this.holds.get("b").token()).isEqualTo(5 * 1024 + 1);
	}

	@Test
	void signalsTheThreadThatIsNext() {
		hold("a");
		sleeps("b");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASED);
		expect("signal b");
		assertThat(takeOffer("b")).isEqualTo(Long.MAX_VALUE);
		expect("grant b HANDED_OVER");
	}

	@Test
	void endsATenureWhoseLeaseIsOverWhileItIsOnOffer() {
		hold("a");
		sleeps("b");
		unlock("a");
		pass(LEASE);
		withdraw("b");
		expect("signal b", "stop 1", "end 1", "retire");
	}

	@Test
	void letsARunningThreadOvertakeTheOneThatWasSignalled() {
		hold("a");
		sleeps("b");
		unlock("a");
		request("c");
		expect("signal b", "grant c HANDED_OVER");
		assertThat(takeOffer("b")).isPositive();
		unlock("c");
		expect();
		assertThat(takeOffer("b")).isEqualTo(Long.MAX_VALUE);
		expect("grant b HANDED_OVER");
	}

	@Test
	void handsTheLockToTheHeadWhenOthersHaveOvertakenItForLong() {
		hold("a");
		sleeps("b");
		pass(Duration.ofNanos(200_000));
		unlock("a");
		expect("grant b HANDED_OVER");
	}

	@Test
	void letsNobodyOvertakeAFairRequest() {
		hold("a", LockType.FAIR);
		request("b", LockType.FAIR);
		request("c");
		unlock("a");
		expect("grant b HANDED_OVER");
	}

	@Test
	void refusesThoseThatTryOnceWhileItIsHeldHere() {
		hold("a");
		request("b");
		tries("c");
		expect("refuse c");
	}

	@Test
	void givesTheOneThatTriesOnceTheLockThatIsOnOffer() {
		hold("a");
		sleeps("b");
		unlock("a");
		this.effects.clear();
		tries("c");
		expect("grant c HANDED_OVER");
	}

	@Test
	void givesTheLockBackIfTheOneItIsOfferedToHasGone() {
		hold("a");
		sleeps("b");
		unlock("a");
		this.effects.clear();
		withdraw("b");
		expect("release 1 LEAVE", "stop 1");
	}

	@Test
	void givesTheLockBackIfItMayNotBeHandedOverWhenItIsTaken() {
		hold("a");
		sleeps("b");
		unlock("a");
		pass(Duration.ofSeconds(20));
		this.effects.clear();
		takeOffer("b");
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void takesTheLockThatIsOnOfferAtTheEndOfTheWait() {
		hold("a");
		enter(waiter("b", LockType.REENTRANT, Duration.ofSeconds(1), null, true));
		unlock("a");
		this.effects.clear();
		expire("b");
		expect("grant b HANDED_OVER");
	}

	@Test
	void handsNothingOverWhereThatIsOff() {
		this.machine = machine(0, true, false);
		hold("a");
		request("b");
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void handsOverWithoutLimitWhileNobodyElseIsHeardToWait() {
		hold("a");
		for (char name = 'b'; name < 'z'; name++) {
			request(String.valueOf(name));
			assertThat(unlock(String.valueOf((char) (name - 1)))).isEqualTo(UnlockResult.RELEASED);
			assertThat(this.holds.get(String.valueOf(name)).token()).isEqualTo(5 * 1024 + name - 'a');
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a message", "a message before the grant", "the grant", "silence" })
	void handsOverForALimitedNumberOfHoldsOnceAnotherInstanceWaits(String toldBy) {
		this.hears = !toldBy.equals("silence");
		request("a");
		if (toldBy.equals("a message before the grant")) {
			contended();
		}
		grant(5, toldBy.equals("the grant"));
		if (toldBy.equals("a message")) {
			contended();
		}
		List.of("b", "c", "d").forEach(this::request);
		this.effects.clear();
		unlock("a");
		unlock("b");
		expect("grant b HANDED_OVER", "grant c HANDED_OVER");
		assertThat(unlock("c")).isEqualTo(UnlockResult.RELEASING);
		expect("release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	@Test
	void handsOverForALimitedTimeOnceAnotherInstanceWaits() {
		hold("a");
		contended();
		request("b");
		request("c");
		unlock("a");
		pass(Duration.ofMillis(10));
		unlock("b");
		expect("grant b HANDED_OVER", "release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	@Test
	void isContendedFromTheStartIfOthersWereHeardWhileItAsked() {
		request("a");
		contended();
		grant(5);
		request("b", LockType.FAIR);
		this.effects.clear();
		unlock("a");
		expect("release 1 YIELD, ask 2 FAIR registers", "stop 1");
	}

	@Test
	void keepsAFixedLeaseForTheOneThatAskedForIt() {
		holdFixed();
		fixed("b", LEASE);
		this.effects.clear();
		unlock("a");
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void handsNoLeaseOverThatIsHalfOver() {
		hold("a");
		pass(Duration.ofSeconds(16));
		request("b");
		unlock("a");
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void handsNoRenewedLockToOneThatWantsAFixedLease() {
		hold("a");
		fixed("b", LEASE);
		unlock("a");
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void releasesAndAsksAgainWhenTheTokensOfATenureAreUsed() {
		hold("0");
		for (int i = 1; i < BLOCK; i++) {
			request("" + i);
			assertThat(unlock("" + (i - 1))).isEqualTo(UnlockResult.RELEASED);
			assertThat(this.holds.get("" + i).token()).isEqualTo(5 * 1024 + i);
		}
		request("next");
		this.effects.clear();
		unlock("" + (BLOCK - 1));
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void countsNoHandOversFromBeforeOthersWaited() {
		hold("a");
		List.of("b", "c", "d", "e", "f").forEach(this::request);
		unlock("a");
		unlock("b");
		contended();
		unlock("c");
		unlock("d");
		expect("grant b HANDED_OVER", "grant c HANDED_OVER", "grant d HANDED_OVER", "grant e HANDED_OVER");
		assertThat(unlock("e")).isEqualTo(UnlockResult.RELEASING);
	}

	@Test
	void countsTheTimeFromWhenOthersWereHeardFirst() {
		hold("a");
		List.of("b", "c").forEach(this::request);
		contended();
		pass(Duration.ofMillis(9));
		contended();
		unlock("a");
		pass(Duration.ofMillis(1));
		contended();
		assertThat(unlock("b")).isEqualTo(UnlockResult.RELEASING);
	}

	@Test
	void forgetsThatOthersWaitedBeforeItAskedAgain() {
		request("a");
		contended();
		refuse(7);
		wake();
		grant(5);
		request("b");
		pass(Duration.ofMillis(10));
		this.effects.clear();
		unlock("a");
		expect("grant b HANDED_OVER");
	}

	@Test
	void looksAgainSoonIfOthersOvertakeTheOneThatWasSignalled() {
		hold("a");
		sleeps("b");
		unlock("a");
		request("c");
		unlock("c");
		this.effects.clear();
		assertThat(takeOffer("b")).isPositive().isLessThan(1_000_000);
		expect();
		assertThat(takeOffer("b")).isEqualTo(Long.MAX_VALUE);
		expect("grant b HANDED_OVER");
	}

	@Test
	void givesTheLockOnOfferToNobodyButTheHead() {
		hold("a");
		sleeps("b");
		sleeps("c");
		assertThat(takeOffer("c")).isEqualTo(Long.MAX_VALUE);
		unlock("a");
		assertThat(takeOffer("c")).isEqualTo(Long.MAX_VALUE);
		expect("signal b");
	}

	@Test
	void signalsNobodyWhoWasNotOfferedTheLock() {
		queued("a");
		assertThat(takeOffer("a")).isEqualTo(Long.MAX_VALUE);
		expect();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "FAIR" })
	void handsTheLockToTheHeadBeforeItRefusesAnotherThatTriesOnce(LockType type) {
		hold("a");
		sleeps("b");
		unlock("a");
		tries("c", type);
		expect("signal b", "grant b HANDED_OVER", "refuse c");
	}

	@Test
	void handsAFairThreadTheLockAtOnce() {
		hold("a", LockType.FAIR);
		enter(waiter("b", LockType.FAIR, LockRequest.FOREVER, null, true));
		unlock("a");
		expect("grant b HANDED_OVER");
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "WRITE", "FAIR" })
	void handsNothingOverThatTheServerHasNotLatelyConfirmed(LockType type) {
		hold("a", type);
		request("b", type);
		pass(AGE);
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(UnlockResult.RELEASING);
		assertThat(this.effects).first().asString().startsWith("release 1");
	}

	@Test
	void handsOverUntilShortlyAfterARenewal() {
		hold("a");
		request("b");
		request("c");
		pass(LEASE.dividedBy(3));
		tenureOf("a").lease().confirm(Lease.of(this.now, LEASE), this.now);
		pass(AGE.minusNanos(1));
		unlock("a");
		expect("grant b HANDED_OVER");
		pass(Duration.ofNanos(1));
		unlock("b");
		expect("release 1 RETURN", "stop 1");
	}

	/** A thread that was signalled may come late. */
	@Test
	void releasesWhatIsOnOfferIfTheServerHasNotLatelyConfirmedIt() {
		hold("a");
		sleeps("b");
		unlock("a");
		expect("signal b");
		pass(AGE);
		assertThat(takeOffer("b")).isEqualTo(Long.MAX_VALUE);
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void beginsALateGrantWithTheRequestItWasAskedFor() {
		request("a");
		pass(AGE.multipliedBy(3));
		grant(5);
		expect("ask 1 REENTRANT registers", "grant a ACQUIRED", "renew 1");
	}

	@Test
	void beginsNoLateGrantWithARequestThatCameLater() {
		request("a");
		pass(Duration.ofNanos(1));
		request("b");
		withdraw("a");
		pass(AGE);
		grant(5);
		expect("ask 1 REENTRANT registers", "release 1 RETURN", "stop 1");
		answer(Outcome.RELEASED);
		expect("ask 2 REENTRANT registers");
	}

	@Test
	void handsNothingOverOfAnOwnerThatHasEndedWhereThatIsOff() {
		this.machine = machine(0, true, false);
		hold("a");
		request("b");
		endOwner("a");
		expect("lost a: OWNER_ENDED", "release 1 RETURN", "stop 1");
	}

}
