package io.lockstarter.verification.history.checker;

import io.lockstarter.core.LockLoss.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.ReleaseOutcome;
import io.lockstarter.verification.history.recording.Span;
import io.lockstarter.verification.history.recording.Visit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.lockstarter.core.LockType.FAIR;
import static io.lockstarter.core.LockType.READ;
import static io.lockstarter.core.LockType.REENTRANT;
import static io.lockstarter.core.LockType.WRITE;
import static io.lockstarter.verification.history.checker.Histories.nanos;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the checker with histories written by hand: it finds every violation, and no
 * others.
 */
class CheckerTests {

	private final Histories exclusion = new Histories(Claim.EXCLUSION);

	private final Histories fencing = new Histories(Claim.FENCING);

	private void findsNothing(Histories history) {
		assertThat(history.check().violations()).isEmpty();
	}

	private void finds(Kind kind, Histories history) {
		Findings findings = history.check();
		assertThat(findings.violations()).extracting(Violation::kind).containsOnly(kind);
		assertThat(findings.figures().violations(kind)).isPositive();
	}

	@Nested
	class Overlaps {

		@Test
		void holdsOneAfterTheOtherAreFine() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, WRITE, 11, 100, 200);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void twoHoldersAtATimeAreFound() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, 99, 200);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void holderWithinALongerHoldIsFoundAfterAShortOne() {
			CheckerTests.this.exclusion.hold(1, READ, 10, 0, 300);
			CheckerTests.this.exclusion.hold(2, READ, 11, 10, 20);
			CheckerTests.this.exclusion.hold(3, REENTRANT, 12, 50, 60);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void readersMayOverlap() {
			CheckerTests.this.exclusion.hold(1, READ, 11, 0, 100);
			CheckerTests.this.exclusion.hold(2, READ, 10, 50, 200);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void readerBesideAWriterIsFound() {
			CheckerTests.this.exclusion.hold(1, WRITE, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, READ, 11, 50, 200);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void writerMayAlsoRead() {
			CheckerTests.this.exclusion.hold(1, WRITE, 10, 0, 100);
			CheckerTests.this.exclusion.hold(1, READ, 10, 50, 50, 200, GrantKind.NESTED);
			CheckerTests.this.exclusion.hold(2, READ, 12, 150, 200);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void beliefEndsAtTheDeadlineTheLossOrTheDeathOfTheJvm() {
			Hold stale = CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 1010);
			stale.released(nanos(1010), ReleaseOutcome.LOST);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, 1001, 1002);
			Hold killed = CheckerTests.this.exclusion.hold(3, REENTRANT, 12, 1003, 1500);
			killed.killed(nanos(1004));
			CheckerTests.this.exclusion.hold(2, REENTRANT, 13, 1005, 1006);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void beliefThatWasRenewedIsFound() {
			Hold renewed = CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 1500);
			renewed.extended(nanos(1600));
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, 1400, 1401);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void serverThatForgetsIsNotBlamed() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 11, 50, 200);
			findsNothing(CheckerTests.this.fencing);
		}

	}

	@Nested
	class Permits {

		private void three() {
			CheckerTests.this.exclusion.permits(3);
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, FAIR, 12, 10, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, 20, 110);
		}

		@Test
		void asManyHoldersAsThereArePermitsAreFine() {
			three();
			CheckerTests.this.exclusion.hold(1, REENTRANT, 13, 100, 200);
			Findings findings = CheckerTests.this.exclusion.check();
			assertThat(findings.violations()).isEmpty();
			assertThat(findings.figures().permits()).isEqualTo(4);
			assertThat(findings.figures().allPermitsHeld).isEqualTo(1);
		}

		@Test
		void oneHolderMoreIsFound() {
			three();
			CheckerTests.this.exclusion.hold(3, REENTRANT, 13, 99, 200);
			finds(Kind.PERMITS, CheckerTests.this.exclusion);
		}

		@Test
		void permitOfADeadHolderIsHeldByNobody() {
			three();
			CheckerTests.this.exclusion.held(3, REENTRANT, 13, 105);
			CheckerTests.this.exclusion.hold(1, REENTRANT, 14, 1106, 1200);
			CheckerTests.this.exclusion.hold(1, REENTRANT, 15, 1107, 1200);
			CheckerTests.this.exclusion.hold(1, REENTRANT, 16, 1108, 1200);
			CheckerTests.this.exclusion.jvm(3).killed(nanos(500));
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void exclusiveHoldBesideAPermitIsFound() {
			CheckerTests.this.exclusion.permits(3).hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.withoutPermits().hold(2, REENTRANT, 11, 99, 200);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void permitBesideAnExclusiveHoldIsFound() {
			CheckerTests.this.exclusion.permits(3).withoutPermits().hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.permits(3).hold(2, REENTRANT, 11, 99, 200);
			finds(Kind.OVERLAP, CheckerTests.this.exclusion);
		}

		@Test
		void readersDoNotCount() {
			three();
			CheckerTests.this.exclusion.withoutPermits().hold(3, READ, 13, 50, 200);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void sameTokenIsFound() {
			CheckerTests.this.exclusion.permits(3).hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 10, 50, 100);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

		@Test
		void permitBelowAnEarlierExclusiveHoldIsFound() {
			CheckerTests.this.exclusion.permits(3).withoutPermits().hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.permits(3).hold(2, REENTRANT, 9, 110, 200);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

		@Test
		void serverThatForgetsIsNotBlamed() {
			CheckerTests.this.fencing.permits(2);
			for (int i = 0; i < 3; i++) {
				CheckerTests.this.fencing.hold(i, REENTRANT, 10 + i, i, 100);
			}
			findsNothing(CheckerTests.this.fencing);
		}

		private Histories thirdTaken(long at) {
			CheckerTests.this.exclusion.permits(2).hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, 0, 900);
			CheckerTests.this.exclusion.hold(3, REENTRANT, 12, 50, at, at + 1, GrantKind.SINGLE);
			return CheckerTests.this.exclusion;
		}

		@Test
		void waiterWhoGetsAFreePermitInTimeIsFine() {
			findsNothing(thirdTaken(1590));
		}

		@Test
		void waiterWhoGetsAFreePermitLateThoughAnotherIsHeldIsFound() {
			finds(Kind.WAKE_UP, thirdTaken(1610));
		}

	}

	@Nested
	class Tokens {

		@Test
		void lowerTokenIsFound() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 9, 110, 200);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

		@Test
		void sameTokenIsFoundUnderEveryClaim() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 10, 50, 200);
			finds(Kind.TOKEN, CheckerTests.this.fencing);
		}

		@Test
		void lowerTokenOfAnEarlierRequestIsFound() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 50, 60, 100, GrantKind.SINGLE);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 9, 10, 110, 200, GrantKind.SINGLE);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

		@Test
		void lowerTokenIsFoundWhereTheServerForgets() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 9, 110, 200);
			finds(Kind.TOKEN, CheckerTests.this.fencing);
		}

		@Test
		void staleTenureMayHandLowTokensOverForAShortTime() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 9, 690, 700, 800, GrantKind.HANDED_OVER);
			findsNothing(CheckerTests.this.fencing);
		}

		@Test
		void staleTenureThatHandsLowTokensOverLaterIsFound() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 9, -50, 800, 900, GrantKind.HANDED_OVER);
			finds(Kind.TOKEN, CheckerTests.this.fencing);
		}

		@Test
		void stalledJvmMayRecordItsHoldsLate() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 9, -50, 800, 900, GrantKind.HANDED_OVER);
			CheckerTests.this.fencing.jvm(2).stalls().add(new Span(nanos(350), nanos(500)));
			findsNothing(CheckerTests.this.fencing);
		}

		@Test
		void pauseOfAnotherJvmIsNoExcuse() {
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, REENTRANT, 9, -50, 800, 900, GrantKind.HANDED_OVER);
			finds(Kind.TOKEN, CheckerTests.this.fencing.stopped(1, 350, 500));
		}

		@Test
		void readerMayJoinAStaleTenureForAShortTime() {
			CheckerTests.this.fencing.hold(1, WRITE, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, READ, 9, 699, 700, 800, GrantKind.SINGLE);
			findsNothing(CheckerTests.this.fencing);
		}

		@Test
		void readerThatJoinsAStaleTenureLaterIsFound() {
			CheckerTests.this.fencing.hold(1, WRITE, 10, 0, 100);
			CheckerTests.this.fencing.hold(2, READ, 9, 799, 800, 900, GrantKind.SINGLE);
			finds(Kind.TOKEN, CheckerTests.this.fencing);
		}

		@Test
		void forgottenWriterReadsOnUnderItsToken() {
			CheckerTests.this.fencing.hold(2, WRITE, 9, 0, 900);
			CheckerTests.this.fencing.hold(1, REENTRANT, 10, 10, 20);
			CheckerTests.this.fencing.hold(2, READ, 9, 850, 851, 900, GrantKind.NESTED);
			findsNothing(CheckerTests.this.fencing);
		}

		@Test
		void readerBelowAWriterBeforeIsFound() {
			CheckerTests.this.exclusion.hold(1, WRITE, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, READ, 9, 110, 200);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

		@Test
		void writerBelowAReaderBeforeIsFound() {
			CheckerTests.this.exclusion.hold(1, READ, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, WRITE, 9, 110, 200);
			finds(Kind.TOKEN, CheckerTests.this.exclusion);
		}

	}

	@Nested
	class Losses {

		private Hold lost(long deadline, long reported) {
			Hold hold = CheckerTests.this.exclusion.hold(1, REENTRANT, 10, deadline - 1000, deadline + 900);
			hold.released(nanos(deadline + 900), ReleaseOutcome.LOST);
			if (reported > 0) {
				hold.lost(nanos(reported), Reason.LEASE_EXPIRED.name());
			}
			return hold;
		}

		@Test
		void lossReportedInTimeIsFine() {
			lost(2000, 2049);
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void lossReportedLateIsFound() {
			lost(2000, 2051);
			finds(Kind.LATE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void lossThatIsNeverReportedIsFound() {
			lost(2000, 0);
			finds(Kind.MISSED_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void stoppedJvmHasAHundredMillisecondsFromWakingUp() {
			lost(2000, 2399);
			findsNothing(CheckerTests.this.exclusion.stopped(1, 1900, 2300));
		}

		@Test
		void lossReportedLateAfterAStopIsFound() {
			lost(2000, 2401);
			finds(Kind.LATE_LOSS, CheckerTests.this.exclusion.stopped(1, 1900, 2300));
		}

		@Test
		void stopOfAnotherJvmIsNoExcuse() {
			lost(2000, 2399);
			finds(Kind.LATE_LOSS, CheckerTests.this.exclusion.stopped(2, 1900, 2300));
		}

		@Test
		void lateLossOfAStalledJvmIsCountedSeparately() {
			lost(2000, 2120);
			CheckerTests.this.exclusion.jvm(1).stalls().add(new Span(nanos(2010), nanos(2100)));
			Findings findings = CheckerTests.this.exclusion.check();
			assertThat(findings.violations()).isEmpty();
			assertThat(findings.figures().lateLossesOfStalledJvms).isEqualTo(1);
		}

		@Test
		void closedRegistryNeedNotReportLosses() {
			lost(2000, 0);
			CheckerTests.this.exclusion.jvm(1).clients().put("client", nanos(1500));
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void lockThatRedisDeniesBeforeItsTimeIsFound() {
			lost(2000, 1500).lost(nanos(1500), Reason.NOT_OWNED.name());
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void expiryThatIsReportedTooEarlyIsFound() {
			lost(2000, 1500);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void serverThatForgetsMayDenyALockBeforeItsTime() {
			forgotten(1500).lost(nanos(1500), Reason.NOT_OWNED.name());
			findsNothing(CheckerTests.this.fencing);
		}

		@Test
		void leaseIsNotOverBeforeItsTimeEvenIfTheServerForgets() {
			forgotten(1500).lost(nanos(1500), Reason.LEASE_EXPIRED.name());
			finds(Kind.FALSE_LOSS, CheckerTests.this.fencing);
		}

		private Hold forgotten(long released) {
			Hold hold = CheckerTests.this.fencing.hold(1, REENTRANT, 10, 1000, released);
			hold.released(nanos(released), ReleaseOutcome.LOST);
			return hold;
		}

		private Hold releasedLate(Reason reason) {
			Hold hold = CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 800);
			hold.lost(nanos(1300), reason.name());
			hold.released(nanos(1300), ReleaseOutcome.LOST);
			return hold;
		}

		@Test
		void lossOfALockWhoseReleaseBeganInTimeIsFound() {
			releasedLate(Reason.NOT_OWNED);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void sameIsFoundForEveryReason() {
			releasedLate(Reason.LEASE_EXPIRED);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void sameIsFoundIfOnlyTheReleaseReportsIt() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 800).released(nanos(1300), ReleaseOutcome.LOST);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion);
		}

		@Test
		void releaseThatIsCarriedOutLateIsFine() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 800).released(nanos(1300), ReleaseOutcome.RELEASED);
			Findings findings = CheckerTests.this.exclusion.check();
			assertThat(findings.violations()).isEmpty();
			assertThat(findings.figures().lateReleases).isEqualTo(1);
		}

		@Test
		void releaseOfAStoppedJvmMayHaveBegunLate() {
			releasedLate(Reason.LEASE_EXPIRED);
			findsNothing(CheckerTests.this.exclusion.stopped(1, 810, 1250));
		}

		@Test
		void stopThatWasOverInTimeIsNoExcuse() {
			releasedLate(Reason.LEASE_EXPIRED);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion.stopped(1, 750, 790));
		}

		@Test
		void stopThatBeganWhenTheReleaseHadBegunIsNoExcuse() {
			releasedLate(Reason.LEASE_EXPIRED);
			finds(Kind.FALSE_LOSS, CheckerTests.this.exclusion.stopped(1, 900, 1250));
		}

		@Test
		void lossOfAStalledReleaseIsCountedSeparately() {
			releasedLate(Reason.LEASE_EXPIRED);
			CheckerTests.this.exclusion.jvm(1).stalls().add(new Span(nanos(790), nanos(950)));
			Findings findings = CheckerTests.this.exclusion.check();
			assertThat(findings.violations()).isEmpty();
			assertThat(findings.figures().lossesOfStalledReleases).isEqualTo(1);
		}

		@Test
		void lossMayBeReportedLaterWhileAListenerBlocks() {
			lost(2000, 2400);
			CheckerTests.this.exclusion.jvm(1).blocks().add(new Span(nanos(1400), nanos(2350)));
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void jvmThatIsKilledWhileAListenerBlocksNeedNotReportLosses() {
			CheckerTests.this.exclusion.held(1, REENTRANT, 10, 0);
			CheckerTests.this.exclusion.jvm(1).killed(nanos(1200));
			CheckerTests.this.exclusion.jvm(1).blocks().add(new Span(nanos(300), nanos(1500)));
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void normalReleaseAfterTheDeadlineIsFound() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 1020);
			finds(Kind.OUTCOME, CheckerTests.this.exclusion);
		}

		@Test
		void releaseReportedAsNeverHeldIsFound() {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 20).released(nanos(21), ReleaseOutcome.NOT_HELD);
			finds(Kind.OUTCOME, CheckerTests.this.exclusion);
		}

		@Test
		void anomalyOfAJvmIsFound() {
			CheckerTests.this.exclusion.jvm(1).anomalies().add("Something odd");
			finds(Kind.OUTCOME, CheckerTests.this.exclusion);
		}

	}

	@Nested
	class Stuck {

		@Test
		void completionWithinTheMarginIsFine() {
			findsNothing(CheckerTests.this.exclusion.request(1, 0, 1000, 20_900));
		}

		@Test
		void completionLongAfterTheWaitTimeIsFound() {
			finds(Kind.STUCK, CheckerTests.this.exclusion.request(1, 0, 1000, 21_100));
		}

		@Test
		void requestThatNeverCompletesIsFound() {
			finds(Kind.STUCK, CheckerTests.this.exclusion.request(1, 0, 1000, -1));
		}

		@Test
		void requestOfAKilledJvmNeedNotComplete() {
			CheckerTests.this.exclusion.request(1, 0, 1000, -1).jvm(1).killed(nanos(5000));
			findsNothing(CheckerTests.this.exclusion);
		}

		@Test
		void requestThatWasStuckLongBeforeItsJvmWasKilledIsFound() {
			CheckerTests.this.exclusion.request(1, 0, 1000, -1).jvm(1).killed(nanos(30_000));
			finds(Kind.STUCK, CheckerTests.this.exclusion);
		}

	}

	@Nested
	class WakeUps {

		private Histories taken(long at, long invoked) {
			CheckerTests.this.exclusion.hold(1, REENTRANT, 10, 0, 100);
			CheckerTests.this.exclusion.hold(2, REENTRANT, 11, invoked, at, at + 1, GrantKind.SINGLE);
			return CheckerTests.this.exclusion;
		}

		@Test
		void waiterWhoGetsTheFreeLockInTimeIsFine() {
			findsNothing(taken(1590, 50));
		}

		@Test
		void waiterWhoGetsTheFreeLockLateIsFound() {
			finds(Kind.WAKE_UP, taken(1610, 50));
		}

		@Test
		void waiterThatArrivesLateIsFine() {
			findsNothing(taken(5000, 4000));
		}

		@Test
		void waiterWhoGaveUpBesideAFreeLockIsFound() {
			finds(Kind.WAKE_UP, taken(5000, 4999).miss(3, REENTRANT, 50, 1700));
		}

		@Test
		void faultIsAnExcuse() {
			findsNothing(taken(1610, 50).covered(1000, 1001));
		}

	}

	@Nested
	class Fairness {

		private Histories second(LockType type) {
			CheckerTests.this.exclusion.hold(1, type, 10, 0, 500);
			CheckerTests.this.exclusion.hold(3, type, 11, 400, 501, 600, GrantKind.SINGLE);
			CheckerTests.this.exclusion.hold(2, type, 12, 100, 601, 700, GrantKind.SINGLE);
			return CheckerTests.this.exclusion;
		}

		@Test
		void fairLockGrantedToALaterRequestIsFound() {
			finds(Kind.FAIRNESS, second(FAIR));
		}

		@Test
		void otherLocksMayBeGrantedToALaterRequest() {
			findsNothing(second(REENTRANT));
		}

		@Test
		void faultIsAnExcuse() {
			findsNothing(second(FAIR).covered(300, 301));
		}

		@Test
		void timeThatACommandTakesIsAnExcuse() {
			findsNothing(second(FAIR).farAway(51));
		}

		@Test
		void fairLockGrantedToAMuchLaterRequestIsFoundOverASlowNetwork() {
			finds(Kind.FAIRNESS, second(FAIR).farAway(50));
		}

		@Test
		void fairOrderIsFine() {
			CheckerTests.this.exclusion.hold(1, FAIR, 10, 0, 500);
			CheckerTests.this.exclusion.hold(2, FAIR, 11, 100, 501, 600, GrantKind.SINGLE);
			CheckerTests.this.exclusion.hold(3, FAIR, 12, 400, 601, 700, GrantKind.SINGLE);
			Findings findings = CheckerTests.this.exclusion.check();
			assertThat(findings.violations()).isEmpty();
			assertThat(findings.figures().fairPairs).isEqualTo(1);
		}

	}

	@Nested
	class GuardedData {

		private void write(long token, Visit visit) {
			CheckerTests.this.exclusion.hold(1, WRITE, token, token, token + 1).leaving(nanos(token + 1), visit);
		}

		@Test
		void lostUpdateIsFound() {
			write(10, new Visit(true, false, false, false));
			write(20, new Visit(true, false, false, false));
			finds(Kind.GUARD, CheckerTests.this.exclusion.counted(1));
		}

		@Test
		void lateUpdateMayOverwriteOthers() {
			write(10, new Visit(true, false, false, false));
			write(20, new Visit(true, true, false, false));
			findsNothing(CheckerTests.this.exclusion.counted(1));
		}

		@Test
		void updatesThatAreAllThereAreFine() {
			write(10, new Visit(true, false, false, false));
			write(20, new Visit(true, false, false, false));
			findsNothing(CheckerTests.this.exclusion.counted(2));
		}

		@Test
		void refusedWriteOfAHolderIsFound() {
			write(10, new Visit(false, false, true, false));
			finds(Kind.GUARD, CheckerTests.this.exclusion);
		}

		@Test
		void changeUnderAReaderIsFound() {
			write(10, new Visit(false, false, false, true));
			finds(Kind.GUARD, CheckerTests.this.exclusion);
		}

	}

	@Test
	void leakIsFound() {
		finds(Kind.LEAK, this.exclusion.leak("A key"));
	}

	@Tag("stress")
	@Test
	void millionHoldsAreCheckedInBoundedMemory() {
		int holds = 1_000_000;
		for (int i = 0; i < holds; i++) {
			this.exclusion.hold(i % 8, REENTRANT, i, 2L * i, 2L * i + 1);
		}
		this.exclusion.hold(1, REENTRANT, 5, 2L * holds, 2L * holds + 1);
		Findings findings = this.exclusion.check();
		assertThat(findings.figures().holds()).isEqualTo(holds + 1);
		assertThat(findings.figures().violations(Kind.TOKEN)).isPositive();
		assertThat(findings.figures().violations(Kind.OVERLAP)).isZero();
	}

}
