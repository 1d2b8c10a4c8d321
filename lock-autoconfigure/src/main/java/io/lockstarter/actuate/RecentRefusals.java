package io.lockstarter.actuate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockListener;
import org.jspecify.annotations.Nullable;

/**
 * Latest fencing tokens that the database has refused. Thread-safe.
 */
public final class RecentRefusals implements LockListener {

	/** Maximum number of refusals that are kept. */
	private static final int MOST = 20;

	private final Deque<FenceRefusal> refusals = new ArrayDeque<>();

	@Override
	public synchronized void fenceRefused(FenceRefusal refusal) {
		if (this.refusals.size() == MOST) {
			this.refusals.removeLast();
		}
		this.refusals.addFirst(refusal);
	}

	/** Returns the refusals of a registry, the latest first. */
	synchronized List<FenceRefusal> of(@Nullable String registry) {
		return this.refusals.stream().filter((refusal) -> Objects.equals(refusal.registry(), registry)).toList();
	}

}
