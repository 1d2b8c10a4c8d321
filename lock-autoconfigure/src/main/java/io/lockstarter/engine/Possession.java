package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has of one lock: a tenure that excludes all others, or shares of it as a
 * reader. There is one share as a rule, which all readers join; but each with a lease of
 * its own has a share of its own, and who comes while a writer waits elsewhere does not
 * join those who were there before. Used under the monitor of the {@link LocalLock}.
 */
final class Possession {

	private @Nullable Tenure exclusive;

	private List<Tenure> shares = List.of();

	/** How many shares have ended here, but not yet in the backend. */
	private int leaving;

	/** The tenure that excludes all others, or {@code null} if there is none. */
	@Nullable Tenure exclusive() {
		return this.exclusive;
	}

	/** Whether this JVM has the lock for itself, and nobody in it holds it yet. */
	boolean isOffered() {
		return this.exclusive != null && this.exclusive.isUnheld();
	}

	void add(Tenure tenure) {
		if (tenure.isShared()) {
			addShare(tenure);
		}
		else {
			this.exclusive = tenure;
		}
	}

	private void addShare(Tenure share) {
		if (this.shares.isEmpty()) {
			this.shares = new ArrayList<>(2);
		}
		this.shares.add(share);
	}

	/** Take out a tenure; {@code false} if it has been taken out before. */
	boolean remove(Tenure tenure) {
		if (this.exclusive == tenure) {
			this.exclusive = null;
			return true;
		}
		return !this.shares.isEmpty() && this.shares.remove(tenure);
	}

	/** From now on a tenure excludes only those who want to exclude others. */
	void downgrade(Tenure written) {
		remove(written);
		written.share();
		add(written);
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

	/** Whether there is no share left, here or on its way. */
	boolean hasNoShare() {
		return this.shares.isEmpty() && this.leaving == 0;
	}

	/** A share that a reader may join. */
	@Nullable Tenure joinable(Waiter reader, Moment now) {
		for (Tenure share : this.shares) {
			if (share.canGoTo(reader, now)) {
				return share;
			}
		}
		return null;
	}

	boolean has(TenureId id) {
		return all().stream().anyMatch((tenure) -> tenure.id().equals(id));
	}

	/** The hold of an owner: as a reader, or as the one who excludes others. */
	@Nullable Hold find(LockOwner owner, boolean reads) {
		Hold found = look(owner, reads);
		if (found != null && found.isLeftByThread()) {
			found.tenure().disown(found);
			return null;
		}
		return found;
	}

	private @Nullable Hold look(LockOwner owner, boolean reads) {
		Hold found = (this.exclusive != null) ? this.exclusive.holdOf(owner, reads) : null;
		if (reads) {
			for (int i = 0; found == null && i < this.shares.size(); i++) {
				found = this.shares.get(i).holdOf(owner, true);
			}
		}
		return found;
	}

	/** A client elsewhere waits for the lock. */
	void wanted() {
		all().forEach((tenure) -> tenure.demand().wanted());
	}

	/** The tenures whose lease has run out. */
	List<Tenure> expired(Moment now) {
		if (this.shares.isEmpty() && (this.exclusive == null || this.exclusive.isValid(now))) {
			return List.of();
		}
		return all().stream().filter((tenure) -> !tenure.isValid(now)).toList();
	}

	List<Hold> holds() {
		List<Hold> holds = new ArrayList<>();
		all().forEach((tenure) -> holds.addAll(tenure.holds()));
		return holds;
	}

	List<Tenure> all() {
		List<Tenure> all = new ArrayList<>(this.shares);
		if (this.exclusive != null) {
			all.add(0, this.exclusive);
		}
		return all;
	}

}
