package io.lockstarter.engine.lease;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.lock.LocalLock;

/**
 * Fencing tokens of one tenure, in ascending order. A token is a base of the backend
 * times 1024 plus a number. The product is computed here, because a number in a script
 * represents a base exactly, but not the product. Used under the monitor of the
 * {@link LocalLock}.
 */
public final class FencingTokens {

	/** Number of tokens per base. */
	private static final int PER_BASE = 1024;

	/** Number of tokens per grant. */
	private static final int MOST = LockBackend.TOKEN_BASES * PER_BASE;

	private final long base;

	private int taken;

	/**
	 * Creates the tokens of a grant.
	 * @param base the first base of the grant
	 */
	public FencingTokens(long base) {
		this.base = base;
	}

	/** Returns the first base of the grant. */
	public long base() {
		return this.base;
	}

	/** Returns the first token of a base. */
	public static long first(long base) {
		return base * PER_BASE;
	}

	/**
	 * Returns whether all tokens are used, so that the next hold needs a tenure of its
	 * own.
	 */
	public boolean isEmpty() {
		return this.taken == MOST;
	}

	public long take() {
		return first(this.base) + this.taken++;
	}

}
