package io.lockstarter.core;

import java.io.Serializable;
import java.time.Duration;
import java.util.Locale;

/**
 * Who held a lock when the backend was last asked.
 *
 * @param label the holder's instance and owner
 * @param heldFor how long it had held the lock
 * @param remainingLease how long its lease still lasted
 * @param others how many others had it at the same time: 0 if it excluded them, or if
 * that was not asked
 */
public record Holder(String label, Duration heldFor, Duration remainingLease, int others) implements Serializable {

	/**
	 * Tell of one of whom it is not known that others had the lock beside it.
	 * @param label the holder's instance and owner
	 * @param heldFor how long it had held the lock
	 * @param remainingLease how long its lease still lasted
	 */
	public Holder(String label, Duration heldFor, Duration remainingLease) {
		this(label, heldFor, remainingLease, 0);
	}

	/**
	 * Returns this holder as it is some time later, if it still holds the lock and has
	 * not renewed its lease meanwhile.
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

	/** Tell that all permits are held, if they are. */
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
