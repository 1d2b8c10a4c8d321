package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the database refused the fencing token of a hold because it has a later
 * token, which means that another owner has held the lock since, or because the row of
 * the lock was deleted. Nothing was committed. The call can be repeated, which acquires
 * the lock again.
 */
public class StaleTokenException extends LockLostException {

	private static final long serialVersionUID = 1L;

	private final FenceRefusal refusal;

	/**
	 * Creates an exception.
	 * @param loss the loss of the lock, which the refusal proves
	 * @param refusal the refusal
	 * @param message the meaning and the remedy
	 * @param cause the exception of the database, or {@code null}
	 */
	public StaleTokenException(LockLoss loss, FenceRefusal refusal, String message, @Nullable Throwable cause) {
		super(loss, message, cause);
		this.refusal = refusal;
	}

	/**
	 * Returns the refusal, with both tokens.
	 * @return the refusal
	 */
	public FenceRefusal refusal() {
		return this.refusal;
	}

}
