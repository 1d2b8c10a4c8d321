package io.lockstarter.engine.lock;

import java.time.InstantSource;
import java.util.List;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.verification.mistakes.Mistake;
import net.bytebuddy.asm.Advice;

import static io.lockstarter.verification.mistakes.Plant.advice;
import static io.lockstarter.verification.mistakes.Plant.nothing;

/**
 * Mistakes of the machine that decides what happens to a name, of its parts, and of the
 * upkeep of leases.
 */
public final class MachineMistakes {

	/**
	 * All of them.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("deadline-from-reply", "A lease counts from the arrival of the reply.", 1,
					advice(LockMachine.class, SentNow.class, "replied"), "engine.#countsTheLeaseFromBeforeTheQuestion",
					"verification.model.#countsALeaseFromBeforeTheQuestion"),
			new Mistake("renewed-from-reply", "A renewed lease counts from the arrival of the reply.", 1,
					advice(LeaseKeeper.class, FromNow.class, "replied"),
					"engine.#countsARenewedLeaseFromBeforeTheRenewal"),
			new Mistake("granted-from-message", "The lease of a lock granted by a message counts from its arrival.", 1,
					advice(QueuePosition.class, GrantedNow.class, "leaseOf"),
					"engine.#asksAgainIfTheLeaseOfADirectGrantIsOver",
					"verification.model.#countsALeaseThatAMessageGrantsFromBefore"),
			new Mistake("grant-of-any-request",
					"A message is taken for the grant of the latest request, whichever it grants.", 1,
					advice(QueuePosition.class, GrantedAnyway.class, "leaseOf"),
					"engine.#asksAgainIfARequestIsGrantedThatItHasRepeated",
					"verification.model.#takesNoGrantOfARequestThatItHasRepeatedSince"),
			new Mistake("ends-what-it-asks-for", "A grant by a message is given back while an answer may say the same.",
					1, advice(Conversation.class, Never.class, "isUnderWay"),
					"verification.model.#doesNotEndWhatItAsksFor"),
			new Mistake("wake-up-forgotten", "A wake-up that is quicker than the answer to a question is forgotten.", 8,
					advice(BackendState.Requesting.class, Unchanged.class, "wake"),
					"engine.#asksForAGrantThatIsQuickerThanTheFirstAnswer",
					"verification.model.#findsNoFaultOnRandomWalks"),
			new Mistake("owes-no-wake-up",
					"Who has released the lock to take it again at once, and does not, wakes nobody.", 8,
					advice(ReturnBudget.class, Never.class, "isWakeUpPending"),
					"engine.#wakesOthersIfItDoesNotReturnAfterAll"),
			new Mistake("keeps-a-turn", "A turn that nobody here has a use for is kept.", 8,
					advice(Effects.class, WithoutLeave.class, "add"),
					"verification.model.#handsOnATurnThatItHasNoUseFor"),
			new Mistake("no-recheck", "Who waits asks again only when woken.", 8,
					advice(Effects.class, WithoutRecheck.class, "add"),
					"engine.#asksAgainByItselfAfterASecondWhenNoWakeUpComes",
					"engine.#asksAgainByItselfWhenTheHoldersLeaseHasEnded",
					"verification.model.#findsNoFaultOnRandomWalks"),
			new Mistake("handed-over-unheard", "A lock is handed over however long Redis was not heard of.", 2,
					advice(HeldLease.class, Always.class, "isConfirmedWithin"),
					"engine.#handsNothingOverThatTheServerHasNotLatelyConfirmed",
					"faults.#readerJoinsNoOtherWhoseKeyIsTakenAway"),
			new Mistake("ends-nothing-for-sure", "What may be held without anybody's knowledge is not ended.", 7,
					advice(Effects.class, WithoutEnd.class, "add"),
					"engine.#endsAGrantThatIsQuickerThanTheFailureOfItsYielding",
					"engine.#endsALostTenureWhenItsHolderReleasesIt",
					"engine.#endsATenureWhoseLeaseIsOverWhileItIsOnOffer"),
			new Mistake("expiry-unnoticed", "Only a release notices that the lease is over.", 4,
					nothing(Endings.class, "loseExpired"), "engine.#noticesByItselfThatTheLeaseIsOver",
					"engine.#noticesWithAnyEventThatTheLeaseIsOver"),
			new Mistake("withdrawal-unnoticed", "Who was taken out of those that wait goes on waiting.", 8,
					nothing(LockMachine.class, "withdrawn"),
					"engine.#asksAgainWhenACommandHasTakenItOutOfThoseThatWait",
					"engine.#asksAgainWhenALateCancellationMayHaveRemovedItsNewRegistration"),
			new Mistake("handed-over-for-ever", "A lock is handed over however long others have waited.", 9,
					advice(ContentionBudget.class, Never.class, "isOver"),
					"engine.#handsOverForALimitedTimeOnceAnotherInstanceWaits",
					"engine.#countsNoHandOversFromBeforeOthersWaited"),
			new Mistake("wake-up-in-release-forgotten",
					"A wake-up that is quicker than the answer to a release is forgotten.", 8,
					advice(BackendState.Releasing.class, StillReleasing.class, "wake"),
					"engine.#asksAtOnceIfItWasWokenBeforeTheAnswerToItsYielding"));

	private MachineMistakes() {
	}

	static final class SentNow {

		@Advice.OnMethodEnter
		static void enter(@Advice.Argument(value = 2, readOnly = false) Moment sentAt, @Advice.Argument(3) Moment now) {
			sentAt = now;
		}

	}

	static final class FromNow {

		@Advice.OnMethodEnter
		static void enter(@Advice.Argument(value = 0, readOnly = false) Moment start) {
			start = Moment.now(InstantSource.system());
		}

	}

	static final class GrantedNow {

		@Advice.OnMethodExit
		static void exit(@Advice.Argument(0) LockBackend.DirectGrant grant, @Advice.Argument(1) Moment now,
				@Advice.Return(readOnly = false) Lease result) {
			result = Lease.of(now, grant.lease());
		}

	}

	static final class GrantedAnyway {

		@Advice.OnMethodExit
		static void exit(@Advice.This QueuePosition registration, @Advice.Argument(0) LockBackend.DirectGrant grant,
				@Advice.Return(readOnly = false) Lease result) {
			result = Lease.of(registration.sentAt(), grant.lease());
		}

	}

	static final class Never {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) boolean result) {
			result = false;
		}

	}

	static final class Always {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) boolean result) {
			result = true;
		}

	}

	static final class Unchanged {

		@Advice.OnMethodExit
		static void exit(@Advice.This BackendState.Requesting asking,
				@Advice.Return(readOnly = false) BackendState.Requesting result) {
			result = asking;
		}

	}

	static final class StillReleasing {

		@Advice.OnMethodExit
		static void exit(@Advice.This BackendState.Releasing releasing,
				@Advice.Return(readOnly = false) BackendState.Releasing result) {
			result = releasing;
		}

	}

	static final class WithoutEnd {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter(@Advice.Argument(0) Effect effect) {
			return effect instanceof Effect.CancelUntilConfirmed;
		}

	}

	static final class WithoutLeave {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter(@Advice.Argument(0) Effect effect) {
			return effect instanceof Effect.Leave;
		}

	}

	static final class WithoutRecheck {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean enter(@Advice.Argument(0) Effect effect) {
			return effect instanceof Effect.Recheck;
		}

	}

}
