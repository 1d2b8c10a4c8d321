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
 * Planted mistakes of the state machine of a name, of its parts, and of the renewal of
 * leases.
 */
public final class MachineMistakes {

	/**
	 * All mistakes of the state machine.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("deadline-from-reply", "A lease begins with the arrival of the reply.", 1,
					advice(LockMachine.class, SentNow.class, "replied"), "engine.#countsTheLeaseFromBeforeTheQuestion",
					"verification.model.#countsALeaseFromTheRequest"),
			new Mistake("renewed-from-reply", "A renewed lease begins with the arrival of the reply.", 1,
					advice(LeaseWatchdog.class, FromNow.class, "replied"),
					"engine.#countsARenewedLeaseFromBeforeTheRenewal"),
			new Mistake("granted-from-message",
					"The lease of a lock that is granted by a message begins with the arrival of the message.", 1,
					advice(QueuePosition.class, GrantedNow.class, "leaseOf"),
					"engine.#asksAgainIfTheLeaseOfADirectGrantIsOver",
					"verification.model.#countsALeaseGrantedByMessageFromTheRequest"),
			new Mistake("grant-of-any-request",
					"A message counts as a grant of the latest request even if it grants an earlier one.", 1,
					advice(QueuePosition.class, GrantedAnyway.class, "leaseOf"),
					"engine.#asksAgainIfARequestIsGrantedThatItHasRepeated",
					"verification.model.#rejectsAGrantOfARequestThatItHasRepeated"),
			new Mistake("cancels-pending-request",
					"A grant by message is cancelled while a reply may grant the same tenure.", 1,
					advice(BackendExchange.class, Never.class, "isUnderWay"),
					"verification.model.#doesNotCancelWhatItRequests"),
			new Mistake("wake-up-forgotten",
					"A wake-up that arrives before the reply to an acquire request is forgotten.", 8,
					advice(BackendState.Requesting.class, Unchanged.class, "wake"),
					"engine.#asksForAGrantThatIsQuickerThanTheFirstAnswer",
					"verification.model.#findsNoFaultOnRandomWalks"),
			new Mistake("wake-up-omitted",
					"An instance that releases the lock in order to acquire it again, but does not, wakes nobody.", 8,
					advice(ReacquisitionLimit.class, Never.class, "isWakeUpPending"),
					"engine.#wakesOthersIfItDoesNotReturnAfterAll"),
			new Mistake("keeps-a-turn", "An instance stays in the queue although none of its requests wait.", 8,
					advice(Effects.class, WithoutLeave.class, "add"),
					"verification.model.#leavesTheQueueWhenItNoLongerWaits"),
			new Mistake("no-recheck", "A waiting instance repeats its request only after a wake-up.", 8,
					advice(Effects.class, WithoutRecheck.class, "add"),
					"engine.#asksAgainByItselfAfterASecondWhenNoWakeUpComes",
					"engine.#asksAgainByItselfWhenTheHoldersLeaseHasEnded",
					"verification.model.#findsNoFaultOnRandomWalks"),
			new Mistake("handed-over-unconfirmed", "A lock is handed over without a recent confirmation by Redis.", 2,
					advice(HeldLease.class, Always.class, "isConfirmedWithin"),
					"engine.#handsNothingOverThatTheServerHasNotLatelyConfirmed",
					"faults.#readerJoinsNoOtherWhoseKeyIsTakenAway"),
			new Mistake("cancels-nothing", "A tenure that may be held without an owner is not cancelled.", 7,
					advice(Effects.class, WithoutEnd.class, "add"),
					"engine.#endsAGrantThatIsQuickerThanTheFailureOfItsYielding",
					"engine.#endsALostTenureWhenItsHolderReleasesIt",
					"engine.#endsATenureWhoseLeaseIsOverWhileItIsOnOffer"),
			new Mistake("expiry-unnoticed", "Only a release detects the end of the lease.", 4,
					nothing(TenureEndings.class, "loseExpired"), "engine.#noticesByItselfThatTheLeaseIsOver",
					"engine.#noticesWithAnyEventThatTheLeaseIsOver"),
			new Mistake("withdrawal-unnoticed", "An instance that was removed from the queue continues to wait.", 8,
					nothing(LockMachine.class, "withdrawn"),
					"engine.#asksAgainWhenACommandHasTakenItOutOfThoseThatWait",
					"engine.#asksAgainWhenALateCancellationMayHaveRemovedItsNewRegistration"),
			new Mistake("handed-over-for-ever", "A lock is handed over without a limit while other instances wait.", 9,
					advice(HandoverLimit.class, Never.class, "isOver"),
					"engine.#handsOverForALimitedTimeOnceAnotherInstanceWaits",
					"engine.#countsNoHandOversFromBeforeOthersWaited"),
			new Mistake("wake-up-in-release-forgotten",
					"A wake-up that arrives before the reply to a release is forgotten.", 8,
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
		static void exit(@Advice.This QueuePosition position, @Advice.Argument(0) LockBackend.DirectGrant grant,
				@Advice.Return(readOnly = false) Lease result) {
			result = Lease.of(position.sentAt(), grant.lease());
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
		static void exit(@Advice.This BackendState.Requesting state,
				@Advice.Return(readOnly = false) BackendState.Requesting result) {
			result = state;
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
