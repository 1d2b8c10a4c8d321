package io.lockstarter.verification.fence;

import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import io.lockstarter.verification.fence.Ledger.Totals;
import io.lockstarter.verification.fence.Teller.Outcomes;

/**
 * Auditor that repeatedly checks the totals of a {@link Ledger}.
 */
final class Audit {

	private static final long PAUSE_NANOS = 5_000_000;

	private final Ledger ledger;

	private long inspections;

	private long wrong;

	Audit(Ledger ledger) {
		this.ledger = ledger;
	}

	/** Inspects the ledger repeatedly until the totals match. */
	void until(Predicate<Totals> enough) {
		while (!enough.test(inspect())) {
			LockSupport.parkNanos(PAUSE_NANOS);
			if (Thread.interrupted()) {
				throw new IllegalStateException(
						"Interrupted after %d inspections at %s".formatted(this.inspections, inspect()));
			}
		}
	}

	private Totals inspect() {
		Totals totals = this.ledger.totals();
		this.inspections++;
		if (!totals.isRight()) {
			this.wrong++;
		}
		return totals;
	}

	/** Returns the report after all work has ended. */
	Report report(Outcomes outcomes) {
		return new Report(inspect(), this.inspections, this.wrong, outcomes);
	}

	/**
	 * Report of an audit.
	 *
	 * @param totals the final totals
	 * @param inspections the number of inspections
	 * @param wrong the number of inspections with wrong totals
	 * @param outcomes the outcomes of calls
	 */
	record Report(Totals totals, long inspections, long wrong, Outcomes outcomes) {

		@Override
		public String toString() {
			return String.format(Locale.ROOT,
					"%d commits, %d lost updates, %d refused, totals wrong at %d of %d inspections, %d gained (%s)",
					this.totals.commits(), this.totals.lost(), this.outcomes.refused(), this.wrong, this.inspections,
					this.totals.gain(), this.outcomes);
		}

	}

}
