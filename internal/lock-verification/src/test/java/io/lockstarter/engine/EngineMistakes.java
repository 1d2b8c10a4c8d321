package io.lockstarter.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.FencingTokens;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.engine.lock.Waiter;
import io.lockstarter.verification.mistakes.Mistake;
import net.bytebuddy.asm.Advice;

import static io.lockstarter.verification.mistakes.Plant.advice;
import static io.lockstarter.verification.mistakes.Plant.nothing;

/**
 * Planted mistakes of the engine, except for those of its state machine.
 */
public final class EngineMistakes {

	/**
	 * All mistakes of the engine.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("no-drift-margin", "A lease has no safety margin for the drift of clocks.", 1,
					advice(Lease.class, WithoutMargin.class, "of", Moment.class, Duration.class),
					"engine.#endsEarlierThanTheBackendsLeaseByOneHundredthAndTwoMilliseconds",
					"verification.model.#reliesOnALeaseForNoLongerThanTheServerKeepsIt"),
			new Mistake("timeout-extends", "A renewal without a reply extends the lease.", 1,
					advice(HeldLease.class, Confirmed.class, "renewalFailed"),
					"engine.#losesTheLockAtItsDeadlineWhenNoRenewalIsAnswered"),
			new Mistake("token-reused", "Successive holds in a tenure have the same token.", 2,
					advice(FencingTokens.class, NotTaken.class, "take"),
					"engine.#handsTheLockToTheNextThatNoThreadWaitsFor"),
			new Mistake("tokens-beyond-grant", "A tenure assigns more tokens than it was granted.", 2,
					advice(FencingTokens.class, NeverEmpty.class, "isEmpty"),
					"engine.#releasesAndAsksAgainWhenTheTokensOfATenureAreUsed"),
			new Mistake("hold-time-ignored", "The maximum hold time is ignored.", 3,
					advice(Hold.class, Endless.class, "reasonToEnd"),
					"memory.InMemory#stopsRenewingAfterTheLongestHoldTime"),
			new Mistake("loss-unreported", "No listener is notified of a loss.", 4, nothing(Listeners.class, "lost"),
					"engine.#losesTheLockAtItsDeadlineWhenNoRenewalIsAnswered",
					"memory.InMemory#tellsThatAFixedLeaseHasExpired"),
			new Mistake("interrupted-stays", "An interrupted waiter stays in the queue.", 7,
					nothing(Waiter.class, "withdraw"), "memory.InMemory#withdrawsWhenInterruptedBehindALocalHolder"),
			new Mistake("renewal-after-release", "A lock is renewed after its release.", 8,
					nothing(HeldLease.class, "end"), "engine.#leavesNoTimerBehindAfterAShortHold"));

	private EngineMistakes() {
	}

	static final class WithoutMargin {

		@Advice.OnMethodExit
		static void exit(@Advice.Argument(0) Moment start, @Advice.Argument(1) Duration lease,
				@Advice.Return(readOnly = false) Lease result) {
			result = new Lease(start, lease.toNanos());
		}

	}

	static final class Confirmed {

		@Advice.OnMethodExit
		static void exit(@Advice.This HeldLease lease) {
			lease.confirm(Lease.of(Moment.now(InstantSource.system()), lease.time()),
					Moment.now(InstantSource.system()));
		}

	}

	static final class NotTaken {

		@Advice.OnMethodExit
		static void exit(@Advice.FieldValue(value = "taken", readOnly = false) int taken) {
			taken = taken - 1;
		}

	}

	static final class NeverEmpty {

		@Advice.OnMethodExit
		static void exit(@Advice.Return(readOnly = false) boolean result) {
			result = false;
		}

	}

	static final class Endless {

		@Advice.OnMethodEnter
		static void enter(@Advice.Argument(value = 0, readOnly = false) Duration longest) {
			longest = null;
		}

	}

}
