package io.lockstarter.aop;

import java.util.List;

import io.lockstarter.verification.mistakes.Mistake;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

import static io.lockstarter.verification.mistakes.Plant.advice;

/**
 * Planted mistakes of the aspect.
 */
public final class AspectMistakes {

	/**
	 * All mistakes of the aspect.
	 */
	public static final List<Mistake> ALL = List.of(
			new Mistake("skip-runs-unlocked", "A method that should be skipped runs without the lock.", 5,
					advice(LockCall.class, Proceed.class, "withoutLock"), "aop.#returnsNothingWhenSkipped"),
			new Mistake("release-before-commit",
					"A lock is released before the transaction of the caller is committed.", 6,
					advice(CallerTransaction.Awaited.class, Ignored.class, "releaseOf"),
					"autoconfigure.#keepsLockUntilTransactionOfCallerIsCommitted"));

	private AspectMistakes() {
	}

	static final class Proceed {

		@Advice.OnMethodExit
		static void exit(@Advice.This LockCall call,
				@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) throws Throwable {
			result = call.proceed();
		}

	}

	static final class Ignored {

		@Advice.OnMethodExit
		static void exit(@Advice.Argument(0) HeldLock lock,
				@Advice.Return(readOnly = false) CallerTransaction.Release release) {
			release = CallerTransaction.IGNORED.releaseOf(lock);
		}

	}

}
