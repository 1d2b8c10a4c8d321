package io.lockstarter.engine.lock;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Lost holds whose owners have not been notified of the loss. Thread-safe.
 */
public final class UnreportedLosses {

	/** Maximum number of lost holds. The oldest one is removed first. */
	private static final int MOST = 10_000;

	private final boolean interrupt;

	private final Map<Loser, Hold> lost = Collections.synchronizedMap(new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Loser, Hold> eldest) {
			return size() > MOST;
		}

	});

	/**
	 * Creates an empty collection.
	 * @param interrupt whether a thread that loses its lock is interrupted
	 */
	public UnreportedLosses(boolean interrupt) {
		this.interrupt = interrupt;
	}

	/** Adds a lost hold. */
	void add(Hold hold) {
		if (!hold.isDetached()) {
			if (hold.owner().isAlive()) {
				this.lost.put(loser(hold), hold);
			}
			interrupt(hold.owner().thread());
		}
	}

	private void interrupt(@Nullable Thread owner) {
		if (this.interrupt && owner != null && owner != Thread.currentThread()) {
			owner.interrupt();
		}
	}

	/** Removes a lost hold whose owner has been notified. */
	void remove(Hold hold) {
		this.lost.remove(loser(hold), hold);
	}

	public @Nullable Hold of(LockRequest request, LockOwner owner) {
		for (Exclusivity mode : Exclusivity.of(request).servedBy()) {
			Hold found = this.lost.get(new Loser(request.name(), mode, owner));
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private static Loser loser(Hold hold) {
		return new Loser(hold.request().name(), Exclusivity.of(hold.request()), hold.owner());
	}

	/**
	 * Key of a lost hold.
	 */
	private record Loser(String name, Exclusivity mode, LockOwner owner) {
	}

}
