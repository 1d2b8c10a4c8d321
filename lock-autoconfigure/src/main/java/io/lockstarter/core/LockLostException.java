package io.lockstarter.core;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The owner held the lock, but lost it before the release. Work after the loss may have
 * overlapped with that of another owner, unless the fencing token was checked.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LockLoss loss;

	/**
	 * Report a loss to the one who held the lock.
	 * @param loss what was lost, when and why
	 */
	public LockLostException(LockLoss loss) {
		super(loss.name(), loss.toString(), null);
		this.loss = loss;
	}

	/**
	 * Report to the one who held the lock that the work under it took longer than its
	 * fixed lease.
	 * @param loss what was lost, when and why
	 * @param leaseTime the fixed lease
	 * @param took how long the work took, which is over
	 */
	public LockLostException(LockLoss loss, Duration leaseTime, Duration took) {
		super(loss.name(),
				"%s. The work under it did finish; its leaseTime of %s was shorter than the %s that it took: omit leaseTime, and the lease is renewed until the work is done"
					.formatted(loss, Durations.text(leaseTime), Durations.text(took)),
				null);
		this.loss = loss;
	}

	/**
	 * Report to another thread what one was told before.
	 * @param known what the other one was told
	 */
	public LockLostException(LockLostException known) {
		super(known.loss.name(), Objects.requireNonNull(known.getMessage()), null);
		this.loss = known.loss;
	}

	/**
	 * Reports a loss in other words than its own.
	 * @param loss what was lost, when and why
	 * @param message the message
	 * @param cause what showed the loss, or {@code null}
	 */
	protected LockLostException(LockLoss loss, String message, @Nullable Throwable cause) {
		super(loss.name(), message, cause);
		this.loss = loss;
	}

	/**
	 * Return what was lost, when and why.
	 * @return the loss
	 */
	public LockLoss loss() {
		return this.loss;
	}

}
