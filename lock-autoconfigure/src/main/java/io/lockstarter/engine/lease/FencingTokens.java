package io.lockstarter.engine.lease;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.lock.LocalLock;

/**
 * The fencing tokens that one tenure may give to its holds, in rising order. A token is a
 * base of the backend times 1024 plus a number: the product is composed here, because the
 * numbers of a script hold a base exactly, but not the product. Used under the monitor of
 * the {@link LocalLock}.
 */
public final class FencingTokens {

	private static final int PER_BASE = 1024;

	private static final int MOST = LockBackend.TOKEN_BASES * PER_BASE;

	private final long base;

	private int taken;

	/**
	 * Take the tokens that a grant comes with.
	 * @param base the first base of the grant
	 */
	public FencingTokens(long base) {
		this.base = base;
	}

	/** The first base of the grant. */
	public long base() {
		return this.base;
	}

	/** The first token that a base is good for. */
	public static long first(long base) {
		return base * PER_BASE;
	}

	/** Whether all are used, so that the next hold needs a tenure of its own. */
	public boolean isEmpty() {
		return this.taken == MOST;
	}

	public long take() {
		return first(this.base) + this.taken++;
	}

}
