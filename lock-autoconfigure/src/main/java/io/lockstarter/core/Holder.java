package io.lockstarter.core;

import java.io.Serializable;
import java.time.Duration;
import java.util.Locale;

/**
 * Holder of a lock, as of the backend's latest reply.
 *
 * @param label the holder's instance and owner
 * @param heldFor the time since the holder acquired the lock
 * @param remainingLease the remaining lease
 * @param others the number of other holders at the same time: 0 for an exclusive holder,
 * or if the number is unknown
 */
public record Holder(String label, Duration heldFor, Duration remainingLease, int others) implements Serializable {

	/**
	 * Creates a holder without known other holders.
	 * @param label the holder's instance and owner
	 * @param heldFor the time since the holder acquired the lock
	 * @param remainingLease the remaining lease
	 */
	public Holder(String label, Duration heldFor, Duration remainingLease) {
		this(label, heldFor, remainingLease, 0);
	}

	/**
	 * Returns this holder after a time, on the assumption that it still holds the lock
	 * and has not renewed its lease.
	 * @param elapsed the time that has passed
	 * @return the aged holder, whose remaining lease is never negative
	 */
	public Holder after(Duration elapsed) {
		Duration remaining = this.remainingLease.minus(elapsed);
		return new Holder(this.label, this.heldFor.plus(elapsed), remaining.isNegative() ? Duration.ZERO : remaining,
				this.others);
	}

	@Override
	public String toString() {
		return "held by %s for %s, lease ends in %s".formatted(who(), Durations.text(this.heldFor),
				Durations.text(this.remainingLease));
	}

	/**
	 * Returns the text of a holder of a permit. If all permits are held, the text says
	 * so.
	 */
	String toString(int permits) {
		if (this.others == 0 || this.others + 1 < permits) {
			return toString();
		}
		return String.format(Locale.ROOT, "all %d permits are held, by %s; the first lease ends in %s", permits, who(),
				Durations.text(this.remainingLease));
	}

	private String who() {
		String one = OneLine.of(this.label);
		return switch (this.others) {
			case 0 -> one;
			case 1 -> one + " and one other";
			default -> String.format(Locale.ROOT, "%s and %d others", one, this.others);
		};
	}

}
