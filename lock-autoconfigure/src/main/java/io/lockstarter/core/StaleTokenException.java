package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The database refused the fencing token of a hold, because it has a later one: others
 * have held the lock since. Nothing was committed, and the call can be repeated, which
 * takes the lock again.
 */
public class StaleTokenException extends LockLostException {

	private static final long serialVersionUID = 1L;

	private final FenceRefusal refusal;

	/**
	 * Reports a refusal to the holder.
	 * @param loss the loss of the lock, which the refusal shows
	 * @param refusal what was refused
	 * @param message what it means, and what to do
	 * @param cause the database's own refusal, or {@code null}
	 */
	public StaleTokenException(LockLoss loss, FenceRefusal refusal, String message, @Nullable Throwable cause) {
		super(loss, message, cause);
		this.refusal = refusal;
	}

	/**
	 * Returns what was refused, with both tokens.
	 * @return the refusal
	 */
	public FenceRefusal refusal() {
		return this.refusal;
	}

}
