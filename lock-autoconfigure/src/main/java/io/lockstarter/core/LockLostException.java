package io.lockstarter.core;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an owner held a lock but lost it before the release. Work after the loss
 * may have overlapped with that of another owner, unless the fencing token was checked.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LockLoss loss;

	/**
	 * Creates an exception for a loss.
	 * @param loss the loss
	 */
	public LockLostException(LockLoss loss) {
		super(loss.name(), loss.toString(), null);
		this.loss = loss;
	}

	/**
	 * Creates an exception for work that took longer than its fixed lease.
	 * @param loss the loss
	 * @param leaseTime the fixed lease
	 * @param took the duration of the work, which has ended
	 */
	public LockLostException(LockLoss loss, Duration leaseTime, Duration took) {
		super(loss.name(),
				"%s. The work finished, but its leaseTime of %s was shorter than the %s that it took: omit leaseTime, so that the lease is renewed until the work ends"
					.formatted(loss, Durations.text(leaseTime), Durations.text(took)),
				null);
		this.loss = loss;
	}

	/**
	 * Creates a copy of an exception of another thread.
	 * @param known the other thread's exception
	 */
	public LockLostException(LockLostException known) {
		super(known.loss.name(), Objects.requireNonNull(known.getMessage()), null);
		this.loss = known.loss;
	}

	/**
	 * Creates an exception with its own message.
	 * @param loss the loss
	 * @param message the message
	 * @param cause the cause, or {@code null}
	 */
	protected LockLostException(LockLoss loss, String message, @Nullable Throwable cause) {
		super(loss.name(), message, cause);
		this.loss = loss;
	}

	/**
	 * Returns the loss.
	 * @return the loss
	 */
	public LockLoss loss() {
		return this.loss;
	}

}
