package io.lockstarter.core;

/**
 * The lock was held, but was lost before its holder released it. What was done under the
 * lock after the loss may have overlapped with another holder, unless the fencing token
 * was checked.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final transient LockLoss loss;

	/**
	 * Report a loss to the one who held the lock.
	 * @param loss what was lost, when and why
	 */
	public LockLostException(LockLoss loss) {
		super(loss.name(), loss.toString(), null);
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
