package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.lockstarter.core.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Shared tenures of this JVM: tenures of readers, which other readers here may join, and
 * permits, each the tenure of one owner. Used under the monitor of the {@link LocalLock}.
 */
final class SharedTenures {

	private List<Tenure> shares = List.of();

	/**
	 * Number of tenures that have ended in this JVM, but that the backend has not
	 * confirmed.
	 */
	private int leaving;

	void add(Tenure share) {
		if (this.shares.isEmpty()) {
			this.shares = new ArrayList<>(1);
		}
		this.shares.add(share);
	}

	/** Removes a tenure, and returns {@code false} if it was already removed. */
	boolean remove(Tenure share) {
		return !this.shares.isEmpty() && this.shares.remove(share);
	}

	/** Removes a tenure whose release is sent to the backend. */
	void leave(Tenure share) {
		remove(share);
		this.leaving++;
	}

	/**
	 * Records that the backend has replied to the release of a tenure, or has failed to.
	 */
	void left() {
		this.leaving--;
	}

	/** Returns the first tenure that matches, or {@code null} if there is none. */
	@Nullable Tenure first(Predicate<Tenure> kind) {
		for (Tenure share : this.shares) {
			if (kind.test(share)) {
				return share;
			}
		}
		return null;
	}

	/** Returns the hold of an owner, as a reader or with a permit, or {@code null}. */
	@Nullable Hold of(LockOwner owner, boolean reads) {
		for (Tenure share : this.shares) {
			Hold found = share.holds().of(owner, reads);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	List<Tenure> all() {
		return this.shares;
	}

	/** Returns whether this JVM has no shared tenure. */
	boolean isEmpty() {
		return this.shares.isEmpty();
	}

	/**
	 * Returns whether this JVM has no shared tenure, and the backend has confirmed the
	 * end of all former ones.
	 */
	boolean haveEnded() {
		return this.shares.isEmpty() && this.leaving == 0;
	}

}
