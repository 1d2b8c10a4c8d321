package io.lockstarter.engine;

import java.util.OptionalLong;

import io.lockstarter.core.backend.LockBackend;

/**
 * The fencing tokens that one tenure may give to its holds, in rising order. A token is a
 * base of the backend times 1024 plus a number: the product is composed here, because the
 * numbers of a script hold a base exactly, but not the product. Used under the monitor of
 * the {@link LocalLock}.
 */
final class Tokens {

	private static final int PER_BASE = 1024;

	private static final int BLOCK = PER_BASE * LockBackend.TOKEN_BASES;

	private long next;

	private long end;

	/** Where the block begins that follows the one in use, or 0. */
	private long following;

	private boolean asked;

	Tokens(long base) {
		use(first(base));
	}

	/** The first token that a base is good for. */
	static long first(long base) {
		return base * PER_BASE;
	}

	private void use(long first) {
		this.next = first;
		this.end = first + BLOCK;
	}

	boolean isEmpty() {
		return this.next == this.end && this.following == 0;
	}

	long take() {
		if (this.next == this.end) {
			use(this.following);
			this.following = 0;
		}
		return this.next++;
	}

	/** Whether to ask for more; says so once until an answer has come. */
	boolean beginAsking() {
		if (this.asked || this.following != 0 || this.end - this.next > BLOCK / 2) {
			return false;
		}
		this.asked = true;
		return true;
	}

	void answered(OptionalLong base) {
		this.asked = false;
		base.ifPresent((more) -> this.following = first(more));
	}

}
