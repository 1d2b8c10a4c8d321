package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.lockstarter.core.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has of a lock that others may have beside it: tenures of readers, which
 * readers here join, and permits, each the tenure of one. Used under the monitor of the
 * {@link LocalLock}.
 */
final class LocalShares {

	private List<Tenure> shares = List.of();

	/** How many shares have ended here, but not yet in the backend. */
	private int leaving;

	void add(Tenure share) {
		if (this.shares.isEmpty()) {
			this.shares = new ArrayList<>(1);
		}
		this.shares.add(share);
	}

	/** Take out a share; {@code false} if it has been taken out before. */
	boolean remove(Tenure share) {
		return !this.shares.isEmpty() && this.shares.remove(share);
	}

	/** A share has been ended here, and the backend is told. */
	void leave(Tenure share) {
		remove(share);
		this.leaving++;
	}

	/** The backend has answered that a share is over, or will not answer. */
	void left() {
		this.leaving--;
	}

	/** The first share of some kind, or {@code null} if there is none. */
	@Nullable Tenure first(Predicate<Tenure> kind) {
		for (Tenure share : this.shares) {
			if (kind.test(share)) {
				return share;
			}
		}
		return null;
	}

	/** The hold of an owner: as a reader, or with a permit. */
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

	/** Whether nobody here has the lock beside others. */
	boolean isEmpty() {
		return this.shares.isEmpty();
	}

	/** Whether no share is left in the backend either. */
	boolean haveEnded() {
		return this.shares.isEmpty() && this.leaving == 0;
	}

}
