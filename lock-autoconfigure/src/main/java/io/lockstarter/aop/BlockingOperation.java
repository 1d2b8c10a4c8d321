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
 * Holds the lock until the method has returned or thrown.
 */
class BlockingOperation implements LockOperation {

	private final @Nullable Object nothing;

	private final CallerTransaction transaction;

	/**
	 * Create an operation.
	 * @param type what the method returns
	 * @param transaction the transaction of the caller
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
	 * What the method throws stays primary, with a failed release suppressed in it; after
	 * a normal return the failed release, such as a lost lock, is what the caller gets.
	 */
	private @Nullable Object proceedUnder(HeldLock lock, LockCall call) throws Throwable {
		try (CallerTransaction.Release release = this.transaction.releaseOf(lock);
				LockContext.Scope scope = lock.context().restore();
				LockFence.Guard guard = call.guard(lock)) {
			Object result = settled(call.proceed());
			if (guard != null) {
				guard.succeeded();
			}
			return result;
		}
	}

	/** Wait for what the method leaves to be done. */
	@Nullable Object settled(@Nullable Object result) {
		return result;
	}

	/**
	 * Holds the lock of an {@code @Async} method until its future is done: the executor's
	 * thread, on which it runs, waits for it anyway.
	 */
	static final class Awaiting extends BlockingOperation {

		Awaiting(Class<?> type, CallerTransaction transaction) {
			super(type, transaction);
		}

		@Override
		@Nullable Object settled(@Nullable Object result) {
			if (result instanceof Future<?> future) {
				Futures.await(future);
			}
			return result;
		}

	}

}
