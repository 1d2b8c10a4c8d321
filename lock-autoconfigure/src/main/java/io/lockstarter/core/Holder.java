package io.lockstarter.core;

import java.time.Duration;

/**
 * Who held a lock when the backend was last asked.
 *
 * @param label the holder's instance and owner
 * @param heldFor how long it had held the lock
 * @param remainingLease how long its lease still lasted
 */
public record Holder(String label, Duration heldFor, Duration remainingLease) {

	@Override
	public String toString() {
		return "held by %s for %s, lease ends in %s".formatted(OneLine.of(this.label), Durations.text(this.heldFor),
				Durations.text(this.remainingLease));
	}

}
