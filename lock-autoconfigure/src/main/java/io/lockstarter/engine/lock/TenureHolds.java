package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Holds of one tenure: an exclusive one, and those of readers. Modified only under the
 * monitor of the {@link LocalLock}, but may be read without it.
 */
final class TenureHolds {

	private volatile @Nullable Hold exclusive;

	/**
	 * Holds of readers: of any owners if the tenure is shared, otherwise of the writer.
	 */
	private volatile Map<LockOwner, Hold> readers = Map.of();

	/** Returns the exclusive hold, or {@code null} if there is none. */
	@Nullable Hold exclusive() {
		return this.exclusive;
	}

	/** Returns the hold of an owner, as a reader or exclusive, or {@code null}. */
	@Nullable Hold of(LockOwner owner, boolean reads) {
		if (reads) {
			return this.readers.get(owner);
		}
		Hold current = this.exclusive;
		return (current != null && current.owner().equals(owner)) ? current : null;
	}

	boolean isEmpty() {
		return this.exclusive == null && this.readers.isEmpty();
	}

	/** Returns all holds, the exclusive one first. */
	List<Hold> all() {
		Hold current = this.exclusive;
		if (this.readers.isEmpty()) {
			return (current != null) ? List.of(current) : List.of();
		}
		List<Hold> all = new ArrayList<>(this.readers.values());
		if (current != null) {
			all.add(0, current);
		}
		return all;
	}

	void add(Hold begun) {
		if (!begun.request().type().isShared()) {
			this.exclusive = begun;
			return;
		}
		if (!(this.readers instanceof ConcurrentHashMap)) {
			this.readers = new ConcurrentHashMap<>();
		}
		this.readers.put(begun.owner(), begun);
	}

	void remove(Hold over) {
		if (this.exclusive == over) {
			this.exclusive = null;
		}
		else {
			this.readers.remove(over.owner(), over);
		}
	}

	/**
	 * Removes the thread from the owner of a hold, so that the thread cannot re-enter it.
	 */
	void disown(Hold left) {
		if (this.exclusive == left) {
			left.disown();
			return;
		}
		this.readers.remove(left.owner(), left);
		left.disown();
		add(left);
	}

}
