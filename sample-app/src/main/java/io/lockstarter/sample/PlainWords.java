package io.lockstarter.sample;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistryClosedException;

/**
 * Says in plain words what went wrong with a lock. The exceptions say more, to whoever
 * reads the log.
 */
public final class PlainWords {

	private PlainWords() {
	}

	/**
	 * Say what went wrong.
	 * @param ex what was thrown
	 * @return sentences for whoever looks at a page
	 */
	public static String of(LockException ex) {
		if (ex instanceof LockAcquisitionTimeoutException timeout) {
			return "%s still has the lock '%s'. Try again in a moment."
				.formatted(timeout.holder().map(PlainWords::instanceOf).orElse("Somebody else"), ex.lockName());
		}
		if (ex instanceof LockLostException) {
			return "The lock '%s' was lost during the work. Somebody else may have done the same: look before you try again."
				.formatted(ex.lockName());
		}
		if (ex instanceof LockRegistryClosedException) {
			return "This instance is about to end. Ask another one.";
		}
		return (ex instanceof LockBackendException failure) ? of(failure.reason())
				: "There is no lock to be had. The log of this instance says why.";
	}

	private static String of(LockBackendException.Reason reason) {
		return switch (reason) {
			case UNREACHABLE, TIMEOUT ->
				"Redis does not answer this instance, so there are no locks now. Try again in a moment.";
			case NOT_AUTHORIZED -> "Redis refuses the user or the password of this instance.";
			default -> "Redis cannot give out locks now. The log of this instance says why.";
		};
	}

	/**
	 * Say which instance has a lock.
	 * @param holder the holder
	 * @return the name of its instance
	 */
	public static String instanceOf(Holder holder) {
		return holder.label().split("/", 2)[0];
	}

}
