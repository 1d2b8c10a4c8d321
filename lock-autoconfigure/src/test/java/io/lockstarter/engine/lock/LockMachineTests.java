package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the machine of a name makes of each event in each state: which effects, and which
 * state. Tenures are called by their numbers, requests by letters.
 */
class LockMachineTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final int LIMIT = 2;

	private final Map<String, WalkWaiter> waiters = new HashMap<>();

	private final Map<String, LockOwner> owners = new HashMap<>();

	private final Map<Hold, String> names = new HashMap<>();

	private final Map<String, Hold> holds = new HashMap<>();

	private final List<String> effects = new ArrayList<>();

	private final List<Effect.SendRelease> releases = new ArrayList<>();

	private long sequence;

	private Moment now = new Moment(1_000_000_000_000L, 1_000_000);

	private LockMachine machine = machine(LIMIT, true, false);

	private Effect.SendAcquire question;

	private Moment askedAt;

	private Moment releasedAt;

	private boolean hears = true;

	private LockMachine machine(int handoverLimit, boolean directGrants, boolean keepsOrder) {
		return new LockMachine(null, null, new MachineTerms("one", handoverLimit, directGrants, keepsOrder),
				() -> new TenureId("me", ++this.sequence));
	}

	// Idle

	@ParameterizedTest
	@EnumSource
	void asksForTheFirstRequest(LockType type) {
		request("a", type);
		expect("ask 1 " + type + " registers");
		assertState(RemoteState.Asking.class);
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
	}

	@Test
	void handsOnAGrantThatNobodyWaitsFor() {
		directGrant(7, 5);
		expect("leave 7");
	}

	@Test
	void ignoresHintsWhileNothingIsUnderWay() {
		this.machine.woken(this.now);
		this.machine.recheck(this.now);
		this.machine.contended(this.now);
		take();
		assertThat(this.effects).doesNotContain("ask 1 REENTRANT");
		assertState(RemoteState.Idle.class);
	}

	// Asking

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "READ")
	void holdsWhatIsGranted(LockType type) {
		request("a", type);
		grant(5);
		expect("ask 1 " + type + " registers", "grant a ACQUIRED", "renew 1");
		assertState(RemoteState.Held.class);
		assertThat(this.holds.get("a").token()).isEqualTo(5 * 1024);
	}

	@Test
	void sharesWhatIsGrantedToAReader() {
		request("a", LockType.READ);
		grant(5);
		expect("ask 1 READ registers", "grant a ACQUIRED", "renew 1");
		assertState(RemoteState.Idle.class);
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
		assertState(RemoteState.Waiting.class);
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

	@Test
	void asksAgainForOneThatCameWhileTheQuestionWasUnderWay() {
		tries("a");
		tries("b");
		refuse();
		expect("ask 1 REENTRANT", "refuse a", "ask 2 REENTRANT");
		refuse();
		expect("refuse b", "retire");
	}

	@Test
	void refusesThoseThatTryOnceBehindOneThatGoesOnWaiting() {
		request("a");
		tries("b");
		refuse(7);
		expect("ask 1 REENTRANT registers", "refuse b", "recheck 1000..30001");
	}

	@Test
	void asksForAReaderOfItsOwnKindAfterAWriterThatTriedOnce() {
		tries("a", LockType.WRITE);
		tries("b", LockType.READ);
		refuse();
		expect("ask 1 WRITE", "refuse a", "ask 2 READ");
	}

	@Test
	void asksAtOnceIfItWasWokenBeforeTheRefusal() {
		request("a");
		this.machine.woken(this.now);
		refuse(7);
		expect("ask 1 REENTRANT registers", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void leavesADirectGrantToTheAnswerThatIsUnderWay() {
		request("a");
		directGrant(1, 5);
		expect("ask 1 REENTRANT registers");
		grant(5);
		expect("grant a ACQUIRED", "renew 1");
	}

	@Test
	void asksWithAnotherTenureIfTheFirstHasEnded() {
		request("a");
		this.machine.answered(this.question, new LockBackend.AlreadyEnded(), this.askedAt, this.now);
		take();
		expect("ask 1 REENTRANT registers", "ask 2 REENTRANT registers");
	}

	@Test
	void letsAShortWaitHaveItsFirstAnswer() {
		waits("a", Duration.ofMillis(1));
		this.machine.expire(this.waiters.get("a"), this.now);
		take();
		expect("ask 1 REENTRANT registers");
		refuse(7);
		expect("refuse a", "leave 1", "retire");
	}

	@Test
	void endsAWaitThatHasHadItsAnswer() {
		waits("a", Duration.ofMillis(500));
		refuse(7);
		this.machine.woken(this.now);
		this.machine.expire(this.waiters.get("a"), this.now);
		take();
		expect("ask 1 REENTRANT registers", "recheck 1000..30001", "no recheck", "ask 1 REENTRANT registers at 7",
				"refuse a");
	}

	// Failures

	@ParameterizedTest
	@EnumSource(value = Reason.class, mode = Mode.INCLUDE, names = { "READ_ONLY", "OUT_OF_MEMORY", "NOT_AUTHORIZED" })
	void failsAFirstRequestAtOnce(Reason reason) {
		request("a");
		request("b");
		fail(reason);
		expect("ask 1 REENTRANT registers", "fail a: " + reason, "fail b: " + reason, "retire");
	}

	@ParameterizedTest
	@EnumSource(value = Reason.class, mode = Mode.INCLUDE, names = { "TIMEOUT", "UNREACHABLE", "NOT_REPLICATED" })
	void endsWhatMayHaveBeenGranted(Reason reason) {
		request("a");
		fail(reason);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: " + reason, "retire");
	}

	@Test
	void endsNothingThatWasNeverSent() {
		request("a");
		this.machine.failed(false, failure(Reason.UNREACHABLE), this.now);
		take();
		expect("ask 1 REENTRANT registers", "fail a: UNREACHABLE", "retire");
	}

	@Test
	void endsWhatWasGrantedByAMessageIfTheQuestionFails() {
		request("a");
		directGrant(1, 5);
		fail(Reason.READ_ONLY);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: READ_ONLY", "retire");
	}

	@Test
	void failsOnlyTheRequestThatTheBackendCannotServe() {
		request("a");
		request("b");
		fail(Reason.NOT_SUPPORTED);
		expect("ask 1 REENTRANT registers", "fail a: NOT_SUPPORTED", "ask 2 REENTRANT registers");
	}

	@Test
	void failsOnlyTheRequestWhoseLeaseIsShort() {
		fixed("a", Duration.ofMillis(60));
		request("b");
		fail(Reason.TIMEOUT);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: TIMEOUT", "ask 2 REENTRANT registers");
	}

	@Test
	void failsThoseTooThatHaveWaitedAsLongAsForALongLease() {
		fixed("a", Duration.ofMillis(60));
		request("b");
		pass(Duration.ofSeconds(2));
		fail(Reason.TIMEOUT);
		expect("ask 1 REENTRANT registers", "end 1", "fail a: TIMEOUT", "fail b: TIMEOUT", "retire");
	}

	@Test
	void outlastsAnOutageForThoseThatStandInTheQueue() {
		request("a");
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		expect("ask 1 REENTRANT registers", "recheck 1000..30001", "no recheck", "ask 1 REENTRANT registers at 7",
				"recheck 100");
		recheck();
		fail(Reason.READ_ONLY);
		recheck();
		expect("no recheck", "ask 1 REENTRANT registers at 7", "recheck 200", "no recheck",
				"ask 1 REENTRANT registers at 7");
		grant(5);
		expect("grant a ACQUIRED", "renew 1");
	}

	@Test
	void asksForAnotherTenureAtTheSamePlaceAfterAnOutage() {
		request("a");
		refuse(7);
		wake();
		fail(Reason.TIMEOUT);
		recheck();
		expect("ask 1 REENTRANT registers", "recheck 1000..30001", "no recheck", "ask 1 REENTRANT registers at 7",
				"end 1", "recheck 100", "no recheck", "ask 2 REENTRANT registers at 7");
	}

	@Test
	void tellsAnOutageAtTheEndOfAWait() {
		waits("a", Duration.ofSeconds(1));
		refuse(7);
		wake();
		fail(Reason.READ_ONLY);
		this.effects.clear();
		this.machine.expire(this.waiters.get("a"), this.now);
		take();
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
		expect("no recheck", "ask 1 REENTRANT registers at 7", "fail b: READ_ONLY", "recheck 200");
	}

	@Test
	void doesNotAskAtOnceWhenAnEndIsConfirmedInAnOutage() {
		request("a");
		refuse(7);
		wake();
		fail(Reason.TIMEOUT);
		this.effects.clear();
		this.machine.withdrawn(this.now);
		take();
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

	// Waiting

	@Test
	void asksWithTheSameTenureAndPlaceWhenWoken() {
		request("a");
		refuse(7);
		this.effects.clear();
		wake();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksByItself() {
		request("a");
		refuse(7);
		this.effects.clear();
		recheck();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAgainWhenACommandHasTakenItOutOfThoseThatWait() {
		request("a");
		refuse(7);
		this.effects.clear();
		this.machine.withdrawn(this.now);
		take();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAtOnceForOneThatTriesOnce() {
		request("a");
		refuse(7);
		this.effects.clear();
		tries("b");
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void takesADirectGrant() {
		request("a");
		refuse(7);
		this.effects.clear();
		directGrant(1, 5);
		expect("no recheck", "grant a ACQUIRED", "renew 1");
		assertThat(this.holds.get("a").remainingLease(this.now)).isBetween(Duration.ofMillis(900),
				Duration.ofSeconds(1));
	}

	@Test
	void asksAgainIfTheLeaseOfADirectGrantIsOver() {
		request("a");
		refuse(7);
		this.effects.clear();
		LockBackend.DirectGrant offer = offer(1, 5);
		pass(Duration.ofSeconds(2));
		this.machine.granted(offer, this.now);
		take();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void asksAgainIfTheClocksDisagreeAboutADirectGrant() {
		request("a");
		refuse(7);
		this.effects.clear();
		this.machine.granted(new LockBackend.DirectGrant(new TenureId("me", 1), 5, false, Duration.ofSeconds(1),
				micros() + 5_000_000), this.now);
		take();
		expect("no recheck", "ask 1 REENTRANT registers at 7");
	}

	@Test
	void endsADirectGrantOfATenureThatItWaitsWithNoMore() {
		request("a");
		refuse(7);
		this.effects.clear();
		directGrant(9, 5);
		expect("leave 9");
		assertState(RemoteState.Waiting.class);
	}

	@Test
	void takesARepeatedDirectGrantOnce() {
		request("a");
		refuse(7);
		directGrant(1, 5);
		this.effects.clear();
		directGrant(1, 5);
		expect();
	}

	@Test
	void leavesWhenTheLastWaiterHasGone() {
		request("a");
		refuse(7);
		this.effects.clear();
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
	void asksWithAnotherTenureIfAReaderFollowsAWriter() {
		request("a", LockType.WRITE);
		refuse(7);
		request("b", LockType.READ);
		this.effects.clear();
		withdraw("a");
		expect("no recheck", "leave 1", "ask 2 READ registers at 7");
	}

	@Test
	void asksForEachFairRequestWithAPlaceOfItsOwn() {
		request("a", LockType.FAIR);
		refuse(7);
		request("b", LockType.FAIR);
		this.effects.clear();
		withdraw("a");
		expect("no recheck", "ask 1 FAIR registers");
	}

	@Test
	void registersForNoDirectGrantsWhereThereAreNone() {
		this.machine = machine(LIMIT, false, false);
		request("a");
		refuse(7);
		this.effects.clear();
		wake();
		expect("no recheck", "ask 2 REENTRANT registers at 7");
	}

	// Held

	@Test
	void releasesTheLockThatNobodyWaitsFor() {
		hold("a");
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASING);
		expect("release 1 LEAVE", "stop 1");
		assertState(RemoteState.Releasing.class);
		answer(Outcome.RELEASED);
		expect("released a", "retire");
	}

	@Test
	void letsItsOwnerReenter() {
		hold("a");
		requestAgain("b", "a", LockType.REENTRANT);
		expect("grant b REENTERED", "count 1");
		assertThat(unlock("b")).isEqualTo(Unlocked.STILL_HELD);
		expect("count 1");
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASING);
	}

	@Test
	void grantsAllThatItsOwnerHasAskedForAtOnce() {
		request("a");
		requestAgain("b", "a", LockType.REENTRANT);
		request("c");
		grant(5);
		expect("ask 1 REENTRANT registers", "grant a ACQUIRED", "grant b REENTERED", "count 1", "renew 1");
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
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASED);
		expect("grant b HANDED_OVER");
		assertThat(this.holds.get("b").token()).isEqualTo(5 * 1024 + 1);
	}

	@Test
	void signalsTheThreadThatIsNext() {
		hold("a");
		sleeps("b");
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASED);
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
		tries("b");
		expect("refuse b");
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
		WalkWaiter waiter = waiter("b", LockType.REENTRANT, Duration.ofSeconds(1), null, true);
		this.machine.request(waiter, null, this.now);
		unlock("a");
		this.effects.clear();
		this.machine.expire(waiter, this.now);
		take();
		expect("grant b HANDED_OVER");
	}

	@Test
	void handsNothingOverWhereThatIsOff() {
		this.machine = machine(0, true, false);
		hold("a");
		request("b");
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASING);
		expect("release 1 RETURN", "stop 1");
	}

	@Test
	void handsOverWithoutLimitWhileNobodyElseIsHeardToWait() {
		hold("a");
		for (char name = 'b'; name < 'z'; name++) {
			request(String.valueOf(name));
			assertThat(unlock(String.valueOf((char) (name - 1)))).isEqualTo(Unlocked.RELEASED);
		}
	}

	@Test
	void handsOverForALimitedNumberOfHoldsOnceAnotherInstanceWaits() {
		hold("a");
		this.machine.contended(this.now);
		request("b");
		request("c");
		request("d");
		unlock("a");
		unlock("b");
		expect("grant b HANDED_OVER", "grant c HANDED_OVER");
		assertThat(unlock("c")).isEqualTo(Unlocked.RELEASING);
		expect("release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	@Test
	void handsOverForALimitedTimeOnceAnotherInstanceWaits() {
		hold("a");
		this.machine.contended(this.now);
		request("b");
		request("c");
		unlock("a");
		pass(Duration.ofMillis(10));
		unlock("b");
		expect("grant b HANDED_OVER", "release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	@Test
	void handsOverForALimitedNumberOfHoldsWhileItCannotHearOthers() {
		this.hears = false;
		hold("a");
		request("b");
		request("c");
		request("d");
		unlock("a");
		unlock("b");
		assertThat(unlock("c")).isEqualTo(Unlocked.RELEASING);
		expect("grant b HANDED_OVER", "grant c HANDED_OVER", "release 1 YIELD, ask 2 REENTRANT registers", "stop 1");
	}

	@Test
	void isContendedFromTheStartIfOthersWereHeardWhileItAsked() {
		request("a");
		this.machine.contended(this.now);
		grant(5);
		request("b", LockType.FAIR);
		this.effects.clear();
		unlock("a");
		expect("release 1 YIELD, ask 2 FAIR registers", "stop 1");
	}

	@Test
	void keepsAFixedLeaseForTheOneThatAskedForIt() {
		fixed("a", LEASE);
		grant(5);
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

	// Losses

	@Test
	void asksForTheNextInTheSameStepWhenTheLockIsLost() {
		hold("a");
		request("b");
		this.machine.ended(tenureOf("a"), LockLoss.Reason.NOT_OWNED, this.now);
		take();
		expect("stop 1", "lost a: NOT_OWNED", "ask 2 REENTRANT registers");
	}

	@Test
	void endsALostTenureWhenItsHolderReleasesIt() {
		hold("a");
		this.machine.ended(tenureOf("a"), LockLoss.Reason.NOT_OWNED, this.now);
		take();
		assertThat(unlock("a")).isEqualTo(Unlocked.LOST);
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

	@Test
	void noticesWithTheReleaseThatTheLeaseIsOver() {
		hold("a");
		pass(LEASE);
		assertThat(unlock("a")).isEqualTo(Unlocked.LOST);
		expect("stop 1", "lost a: LEASE_EXPIRED", "end 1", "a knows of the loss", "retire");
	}

	@Test
	void givesATenureToTheNextWhenItsOwnerHasEnded() {
		hold("a");
		request("b");
		this.machine.ended(this.holds.get("a"), LockLoss.Reason.OWNER_ENDED, this.now);
		take();
		expect("lost a: OWNER_ENDED", "grant b HANDED_OVER");
	}

	// Releasing

	@Test
	void returnsWithoutWakingOthersWhenItMayNotHandOver() {
		fixed("a", LEASE);
		grant(5);
		request("b");
		this.effects.clear();
		unlock("a");
		expect("release 1 RETURN", "stop 1");
		answer(Outcome.RELEASED);
		expect("released a", "ask 2 REENTRANT registers");
	}

	@Test
	void wakesOthersIfItDoesNotReturnAfterAll() {
		fixed("a", LEASE);
		grant(5);
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
		assertState(RemoteState.Waiting.class);
		wake();
		expect("no recheck", "ask 2 REENTRANT registers at 9");
	}

	@Test
	void asksIfNobodyWasThereToYieldTo() {
		yields();
		answer(Outcome.RELEASED);
		expect("released a", "ask 3 REENTRANT registers");
	}

	@Test
	void asksAtOnceIfItWasWokenBeforeTheAnswerToItsYielding() {
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
	void wakesOthersIfItWasTheTurnOfAFairRequestThatHasGone() {
		hold("a", LockType.FAIR);
		request("b", LockType.FAIR);
		this.machine.contended(this.now);
		unlock("a");
		withdraw("b");
		answer(Outcome.RELEASED);
		expect("release 1 YIELD, ask 2 FAIR registers", "stop 1", "released a", "leave", "retire");
	}

	@Test
	void tellsALossThatOnlyTheReleaseHasFound() {
		hold("a");
		unlock("a");
		this.effects.clear();
		answer(Outcome.NOT_HELD);
		expect("found lost a: NOT_OWNED", "retire");
	}

	@Test
	void isReleasedIfTheLeaseRanWhenTheReleaseBegan() {
		hold("a");
		unlock("a");
		this.effects.clear();
		pass(LEASE);
		answer(Outcome.NOT_HELD);
		expect("unconfirmed a: TIMEOUT", "retire");
	}

	@Test
	void takesARepeatedReleaseForARelease() {
		hold("a");
		unlock("a");
		this.effects.clear();
		answer(Outcome.RELEASED_BEFORE);
		expect("released a", "retire");
	}

	@Test
	void endsForSureWhatTheBackendHasNotConfirmed() {
		hold("a");
		unlock("a");
		this.effects.clear();
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

	// A question that goes along with a release

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

	// Readers

	@Test
	void letsReadersJoin() {
		hold("a", LockType.READ);
		request("b", LockType.READ);
		expect("grant b JOINED");
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASED);
		expect();
		assertThat(unlock("b")).isEqualTo(Unlocked.RELEASING);
		expect("release 1 STAY", "stop 1");
		answer(Outcome.RELEASED);
		expect("released b", "retire");
	}

	@Test
	void admitsAllReadersAtTheHeadWithOneGrant() {
		request("a", LockType.READ);
		request("b", LockType.READ);
		request("c", LockType.WRITE);
		request("d", LockType.READ);
		grant(5);
		expect("ask 1 READ registers", "grant a ACQUIRED", "grant b JOINED", "renew 1", "ask 2 WRITE registers");
	}

	@Test
	void letsNoReaderJoinWhileAWriterWaitsElsewhere() {
		hold("a", LockType.READ);
		this.machine.contended(this.now);
		request("b", LockType.READ);
		expect("ask 2 READ registers");
	}

	@Test
	void asksForAWriterBesideReaders() {
		hold("a", LockType.READ);
		request("b", LockType.WRITE);
		refuse(7);
		expect("ask 2 WRITE registers", "recheck 1000..30001");
		unlock("a");
		answer(Outcome.RELEASED);
		wake();
		grant(50);
		expect("release 1 STAY", "stop 1", "released a", "no recheck", "ask 2 WRITE registers at 7", "grant b ACQUIRED",
				"renew 2");
	}

	@Test
	void refusesAReaderToWrite() {
		hold("a", LockType.READ);
		requestAgain("b", "a", LockType.WRITE);
		expect("fail b: LockUpgradeException");
	}

	@Test
	void letsAWriterRead() {
		hold("a", LockType.WRITE);
		requestAgain("b", "a", LockType.READ);
		expect("grant b JOINED");
		assertThat(this.holds.get("b").token()).isEqualTo(this.holds.get("a").token());
		unlock("b");
		expect();
	}

	@Test
	void isSharedOnlyWhenTheBackendHasConfirmedThatTheWriterReadsOn() {
		readsOn();
		request("c", LockType.READ);
		expect();
		answer(Outcome.RELEASED);
		expect("grant c JOINED");
		assertState(RemoteState.Idle.class);
	}

	@Test
	void asksAgainToLetOthersInBesideTheOneThatWrote() {
		readsOn();
		tries("c", LockType.READ);
		expect();
		releaseFails(Reason.TIMEOUT);
		expect("refuse c", "downgrade 1 later");
		this.machine.downgradeAgain(tenureOf("b"), this.now);
		take();
		expect("release 1 DOWNGRADE");
	}

	@Test
	void refusesOneThatTriesToWriteWhileTheWriterIsAboutToReadOn() {
		readsOn();
		tries("c", LockType.WRITE);
		expect("refuse c");
	}

	@Test
	void releasesTheLockOfAWriterThatReadsNoMoreBeforeTheConfirmation() {
		readsOn();
		request("c", LockType.WRITE);
		unlock("b");
		expect("release 1 RETURN", "stop 1");
		Effect.SendRelease downgrade = this.releases.remove(0);
		this.machine.released(downgrade, new Release.Reply(Outcome.RELEASED, OptionalLong.empty()), null, this.now,
				this.now);
		this.machine.downgradeAgain(downgrade.tenure(), this.now);
		take();
		expect();
	}

	@Test
	void losesTheReadingOfAWriterThatWasLostBefore() {
		readsOn();
		answer(Outcome.NOT_HELD);
		expect("stop 1", "lost b: NOT_OWNED", "retire");
	}

	@Test
	void endsAShareWhoseLastReaderHasEnded() {
		hold("a", LockType.READ);
		this.machine.ended(this.holds.get("a"), LockLoss.Reason.OWNER_ENDED, this.now);
		take();
		expect("lost a: OWNER_ENDED", "release 1 STAY", "stop 1");
	}

	// Close

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

	// What a test says

	private Tenure tenureOf(String name) {
		return this.machine.tenureOf(this.holds.get(name));
	}

	private void request(String name) {
		request(name, LockType.REENTRANT);
	}

	private void request(String name, LockType type) {
		enter(waiter(name, type, LockRequest.FOREVER, null, false));
	}

	private void requestAgain(String name, String owner, LockType type) {
		this.owners.put(name, this.owners.get(owner));
		request(name, type);
	}

	private void tries(String name) {
		tries(name, LockType.REENTRANT);
	}

	private void tries(String name, LockType type) {
		enter(waiter(name, type, Duration.ZERO, null, false));
	}

	private void waits(String name, Duration wait) {
		enter(waiter(name, LockType.REENTRANT, wait, null, false));
	}

	private void fixed(String name, Duration lease) {
		enter(waiter(name, LockType.REENTRANT, LockRequest.FOREVER, lease, false));
	}

	private void sleeps(String name) {
		enter(waiter(name, LockType.REENTRANT, LockRequest.FOREVER, null, true));
	}

	private void hold(String name) {
		hold(name, LockType.REENTRANT);
	}

	private void hold(String name, LockType type) {
		request(name, type);
		grant(5);
		this.effects.clear();
	}

	private void yields() {
		hold("a");
		this.machine.contended(this.now);
		request("b");
		pass(Duration.ofMillis(10));
		unlock("a");
		assertThat(this.effects).contains("release 1 YIELD, ask 2 REENTRANT registers");
		this.effects.clear();
	}

	private void returnsInOrder() {
		this.machine = machine(LIMIT, true, true);
		fixed("a", LEASE);
		grant(5);
		request("b");
		this.effects.clear();
		unlock("a");
		expect("release 1 RETURN", "stop 1", "ask 2 REENTRANT registers");
	}

	private void readsOn() {
		hold("a", LockType.WRITE);
		requestAgain("b", "a", LockType.READ);
		this.effects.clear();
		assertThat(unlock("a")).isEqualTo(Unlocked.RELEASED);
		expect("release 1 DOWNGRADE");
		assertState(RemoteState.Downgrading.class);
	}

	private WalkWaiter waiter(String name, LockType type, Duration wait, Duration lease, boolean thread) {
		LockRequest request = LockRequest.of("name").type(type).waitTime(wait);
		LockOwner owner = this.owners.computeIfAbsent(name, LockOwner::create);
		WalkWaiter waiter = new WalkWaiter(name, (lease != null) ? request.leaseTime(lease) : request, owner,
				(lease != null) ? lease : LEASE, thread, this.now);
		this.waiters.put(name, waiter);
		return waiter;
	}

	private void enter(WalkWaiter waiter) {
		this.machine.hears(this.hears);
		assertThat(this.machine.request(waiter, null, this.now)).isTrue();
		take();
	}

	private void withdraw(String name) {
		assertThat(this.machine.withdraw(this.waiters.get(name), this.now)).isTrue();
		take();
	}

	private long takeOffer(String name) {
		this.machine.hears(this.hears);
		long nap = this.machine.takeOffer(this.waiters.get(name), this.now);
		take();
		return nap;
	}

	private Unlocked unlock(String name) {
		this.machine.hears(this.hears);
		Unlocked outcome = this.machine.unlock(this.holds.get(name), null, this.now);
		take();
		return outcome;
	}

	private void grant(long base) {
		this.machine.answered(this.question, new LockBackend.Granted(base, false), this.askedAt, this.now);
		take();
	}

	private void refuse() {
		refuse(OptionalLong.empty(), LEASE);
	}

	private void refuse(long place) {
		refuse(place, LEASE);
	}

	private void refuse(long place, Duration remaining) {
		refuse(OptionalLong.of(place), remaining);
	}

	private void refuse(OptionalLong place, Duration remaining) {
		this.machine.answered(this.question,
				new LockBackend.Refused(new Holder("another", Duration.ZERO, remaining), place, micros()), this.askedAt,
				this.now);
		take();
	}

	private void fail(Reason reason) {
		this.machine.failed(true, failure(reason), this.now);
		take();
	}

	private static LockBackendException failure(Reason reason) {
		return new LockBackendException("name", reason, "planted", null);
	}

	private void answer(Outcome outcome) {
		answer(new Release.Reply(outcome, OptionalLong.empty()));
	}

	private void answer(Outcome outcome, long place) {
		answer(new Release.Reply(outcome, OptionalLong.of(place)));
	}

	private void answer(Release.Reply reply) {
		this.machine.released(this.releases.remove(0), reply, null, this.releasedAt, this.now);
		take();
	}

	private void releaseFails(Reason reason) {
		this.machine.released(this.releases.remove(0), null, failure(reason), this.releasedAt, this.now);
		take();
	}

	private void directGrant(long tenure, long base) {
		this.machine.granted(offer(tenure, base), this.now);
		take();
	}

	private LockBackend.DirectGrant offer(long tenure, long base) {
		return new LockBackend.DirectGrant(new TenureId("me", tenure), base, false, Duration.ofSeconds(1), micros());
	}

	private void wake() {
		this.machine.woken(this.now);
		take();
	}

	private void recheck() {
		this.machine.recheck(this.now);
		take();
	}

	private void close() {
		this.machine.close(new LockRegistryClosedException("name"), this.now);
		take();
	}

	private void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	private long micros() {
		return this.now.nanos() / 1000;
	}

	private void take() {
		for (Effect effect : this.machine.takeEffects()) {
			if (effect instanceof Effect.SendAcquire sent) {
				this.question = sent;
				this.askedAt = this.now;
			}
			else if (effect instanceof Effect.SendRelease sent) {
				this.releases.add(sent);
				this.releasedAt = this.now;
			}
			else if (effect instanceof Effect.Grant grant) {
				this.holds.put(grant.waiter().toString(), grant.hold());
				this.names.putIfAbsent(grant.hold(), grant.waiter().toString());
			}
			this.effects.add(text(effect));
		}
	}

	private void expect(String... expected) {
		assertThat(this.effects).containsExactly(expected);
		this.effects.clear();
	}

	private void assertState(Class<? extends RemoteState> state) {
		assertThat(this.machine.remote()).isInstanceOf(state);
	}

	private String text(Effect effect) {
		if (effect instanceof Effect.SendAcquire sent) {
			return text(sent.command());
		}
		if (effect instanceof Effect.SendRelease sent) {
			Acquire next = sent.command().next();
			return "release %d %s%s".formatted(sent.command().tenure().sequence(), sent.command().intent(),
					(next != null) ? ", " + text(next) : "");
		}
		if (effect instanceof Effect.EndForSure end) {
			return "end " + end.tenure().sequence();
		}
		if (effect instanceof Effect.Leave leave) {
			return (leave.tenure() != null) ? "leave " + leave.tenure().sequence() : "leave";
		}
		if (effect instanceof Effect.Grant grant) {
			return "grant %s %s".formatted(grant.waiter(), grant.entry());
		}
		if (effect instanceof Effect.Refuse refusal) {
			return "refuse " + refusal.waiter();
		}
		if (effect instanceof Effect.Fail failure) {
			return "fail %s: %s".formatted(failure.waiter(), (failure.cause() instanceof LockBackendException known)
					? known.reason() : failure.cause().getClass().getSimpleName());
		}
		return (effect instanceof Effect.Signal signal) ? "signal " + signal.waiter() : textOfOthers(effect);
	}

	private String textOfOthers(Effect effect) {
		if (effect instanceof Effect.Recheck recheck) {
			long most = recheck.longestNanos();
			return "recheck %d%s".formatted(recheck.nanos() / 1_000_000,
					(most < Long.MAX_VALUE) ? ".." + most / 1_000_000 : "");
		}
		if (effect instanceof Effect.StopRecheck) {
			return "no recheck";
		}
		if (effect instanceof Effect.StartRenewal start) {
			return "renew " + start.tenure().id().sequence();
		}
		if (effect instanceof Effect.StopRenewal stop) {
			return "stop " + stop.tenure().id().sequence();
		}
		if (effect instanceof Effect.WriteCount count) {
			return "count " + count.tenure().id().sequence();
		}
		if (effect instanceof Effect.RetryDowngrade retry) {
			return "downgrade %d later".formatted(retry.tenure().id().sequence());
		}
		if (effect instanceof Effect.Released released) {
			return "released " + this.names.get(released.hold());
		}
		if (effect instanceof Effect.Unconfirmed released) {
			return "unconfirmed %s: %s".formatted(this.names.get(released.hold()), released.cause().reason());
		}
		if (effect instanceof Effect.FoundLost lost) {
			return "found lost %s: %s".formatted(this.names.get(lost.hold()), lost.loss().reason());
		}
		if (effect instanceof Effect.Lost lost) {
			return "lost %s: %s".formatted(this.names.get(lost.hold()), lost.loss().reason());
		}
		if (effect instanceof Effect.ForgetLoss known) {
			return "%s knows of the loss".formatted(this.names.get(known.hold()));
		}
		return "retire";
	}

	private static String text(Acquire command) {
		LockBackend.Waiting waiting = command.waiting();
		String place = (waiting != null && waiting.position().isPresent()) ? " at " + waiting.position().getAsLong()
				: "";
		return "ask %d %s%s%s".formatted(command.tenure().sequence(), command.type(),
				(waiting != null) ? " registers" : "", place);
	}

}
