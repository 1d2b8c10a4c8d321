package io.lockstarter.verification.fence;

import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import io.lockstarter.verification.fence.Ledger.Totals;
import io.lockstarter.verification.fence.Teller.Outcomes;

/**
 * A reader of a {@link Ledger}, which is right at every moment or not.
 */
final class Audit {

	private static final long PAUSE_NANOS = 5_000_000;

	private final Ledger ledger;

	private long looks;

	private long wrong;

	Audit(Ledger ledger) {
		this.ledger = ledger;
	}

	/** Looks again and again until the totals are as they should be. */
	void until(Predicate<Totals> enough) {
		while (!enough.test(look())) {
			LockSupport.parkNanos(PAUSE_NANOS);
			if (Thread.interrupted()) {
				throw new IllegalStateException("Interrupted after %d looks at %s".formatted(this.looks, look()));
			}
		}
	}

	private Totals look() {
		Totals totals = this.ledger.totals();
		this.looks++;
		if (!totals.isRight()) {
			this.wrong++;
		}
		return totals;
	}

	/** Returns what has been found, once nobody works any more. */
	Report report(Outcomes outcomes) {
		return new Report(look(), this.looks, this.wrong, outcomes);
	}

	/**
	 * What was found.
	 *
	 * @param totals the totals in the end
	 * @param looks number of times when the reader looked
	 * @param wrong number of times when the totals were wrong
	 * @param outcomes how calls have ended
	 */
	record Report(Totals totals, long looks, long wrong, Outcomes outcomes) {

		@Override
		public String toString() {
			return String.format(Locale.ROOT,
					"%d commits, %d lost updates, %d refused, totals wrong at %d of %d looks, %d gained (%s)",
					this.totals.commits(), this.totals.lost(), this.outcomes.refused(), this.wrong, this.looks,
					this.totals.gain(), this.outcomes);
		}

	}

}
