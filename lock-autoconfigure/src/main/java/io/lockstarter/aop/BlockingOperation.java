package io.lockstarter.aop;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Future;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockInterruptedException;
import org.jspecify.annotations.Nullable;

/**
 * Operation that holds the lock until the method has returned or thrown.
 */
class BlockingOperation implements LockOperation {

	private final @Nullable Object nothing;

	private final CallerTransaction transaction;

	/**
	 * Creates an operation.
	 * @param type the return type of the method
	 * @param transaction the treatment of the caller's transaction
	 */
	BlockingOperation(Class<?> type, CallerTransaction transaction) {
		this.nothing = nothing(type);
		this.transaction = transaction;
	}

	private static @Nullable Object nothing(Class<?> type) {
		if (type == Optional.class) {
			return Optional.empty();
		}
		if (type == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (type == OptionalLong.class) {
			return OptionalLong.empty();
		}
		return (type == OptionalDouble.class) ? OptionalDouble.empty() : null;
	}

	@Override
	public @Nullable Object invoke(LockCall call) throws Throwable {
		HeldLock lock;
		try {
			lock = call.acquire(this.transaction.locks(LockContext.capture(), call));
		}
		catch (LockAcquisitionTimeoutException ex) {
			return call.withoutLock(this.transaction.explain(ex), this.nothing);
		}
		catch (InterruptedException ex) {
			throw interrupted(call, ex);
		}
		return proceedUnder(lock, call);
	}

	private static Exception interrupted(LockCall call, InterruptedException ex) {
		if (call.attribute().interruptible()) {
			return ex;
		}
		Thread.currentThread().interrupt();
		return new LockInterruptedException(String.join(", ", call.names()), call.registryName(), ex);
	}

	/**
	 * Runs the method under the lock. An exception of the method is thrown with a failed
	 * release as a suppressed exception. After a normal return, a failed release, such as
	 * that of a lost lock, is thrown itself.
	 */
	private @Nullable Object proceedUnder(HeldLock lock, LockCall call) throws Throwable {
		try (CallerTransaction.Release release = this.transaction.releaseOf(lock);
				LockContext.Scope scope = lock.context().restore();
				LockFence.Guard guard = call.guard(lock)) {
			Object result = awaited(call.proceed());
			if (guard != null) {
				guard.succeeded();
			}
			return result;
		}
	}

	/** Waits until the result of the method is complete. */
	@Nullable Object awaited(@Nullable Object result) {
		return result;
	}

	/**
	 * Operation of an {@code @Async} method, which holds the lock until its future is
	 * done. The executor's thread that runs the method waits for the future anyway.
	 */
	static final class Awaiting extends BlockingOperation {

		Awaiting(Class<?> type, CallerTransaction transaction) {
			super(type, transaction);
		}

		@Override
		@Nullable Object awaited(@Nullable Object result) {
			if (result instanceof Future<?> future) {
				Futures.await(future);
			}
			return result;
		}

	}

}
