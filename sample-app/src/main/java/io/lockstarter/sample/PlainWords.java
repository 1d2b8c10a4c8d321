package io.lockstarter.sample;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistryClosedException;

/**
 * Messages about lock failures for users of the page. The exceptions in the log contain
 * more detail.
 */
public final class PlainWords {

	private PlainWords() {
	}

	/**
	 * Returns the message about a failure.
	 * @param ex the failure
	 * @return one or more sentences
	 */
	public static String of(LockException ex) {
		if (ex instanceof LockAcquisitionTimeoutException timeout) {
			return "%s still holds the lock '%s'. Try again in a moment."
				.formatted(timeout.holder().map(PlainWords::instanceOf).orElse("Somebody else"), ex.lockName());
		}
		if (ex instanceof LockLostException) {
			return ("The lock '%s' was lost during the work. Somebody else may have done it too:"
					+ " check before you try again.")
				.formatted(ex.lockName());
		}
		if (ex instanceof LockRegistryClosedException) {
			return "This instance is shutting down. Use another one.";
		}
		return (ex instanceof LockBackendException failure) ? of(failure.reason())
				: "The lock cannot be acquired. The log of this instance says why.";
	}

	private static String of(LockBackendException.Reason reason) {
		return switch (reason) {
			case UNREACHABLE, TIMEOUT ->
				"Redis does not reply to this instance, so no lock can be acquired. Try again in a moment.";
			case NOT_AUTHORIZED -> "Redis refuses the user or the password of this instance.";
			default -> "Redis cannot grant locks now. The log of this instance says why.";
		};
	}

	/**
	 * Returns the instance that holds a lock.
	 * @param holder the holder
	 * @return the name of its instance
	 */
	public static String instanceOf(Holder holder) {
		return holder.label().split("/", 2)[0];
	}

}
