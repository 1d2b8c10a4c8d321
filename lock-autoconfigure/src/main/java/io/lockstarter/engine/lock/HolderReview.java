package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.core.LockLoss;
import org.jspecify.annotations.Nullable;

/**
 * Ends the holds of a tenure that are to last no longer than their lease: their owner has
 * ended, or they have been held for too long. Where others go on, those end alone. Where
 * none does, the lease is no longer renewed.
 */
final class HolderReview {

	private final Tenure tenure;

	private final LockEvents lock;

	private final @Nullable Duration longest;

	/**
	 * Review the holds of a tenure.
	 * @param longest how long a lock may be held, or {@code null} for as long as it likes
	 */
	HolderReview(Tenure tenure, LockEvents lock, @Nullable Duration longest) {
		this.tenure = tenure;
		this.lock = lock;
		this.longest = longest;
	}

	void run() {
		List<Hold> holds = this.tenure.holds().all();
		Map<Hold, LockLoss.Reason> over = Map.of();
		for (Hold hold : holds) {
			LockLoss.Reason reason = hold.reasonToEnd(this.longest);
			if (reason != null) {
				over = over.isEmpty() ? new LinkedHashMap<>() : over;
				over.put(hold, reason);
			}
		}
		if (!over.isEmpty() && over.size() == holds.size()) {
			LockLoss.Reason reason = over.values().iterator().next();
			this.lock.whileUnchanged(() -> stopUnlessOthersHold(reason));
		}
		else {
			over.forEach(this.lock::lose);
		}
	}

	/** The tenure may have been handed on meanwhile, and cannot be afterwards. */
	private void stopUnlessOthersHold(LockLoss.Reason reason) {
		List<Hold> holds = this.tenure.holds().all();
		if (!holds.isEmpty() && holds.stream().allMatch((hold) -> hold.reasonToEnd(this.longest) != null)) {
			this.tenure.lease().stopRenewing(reason);
		}
	}

}
