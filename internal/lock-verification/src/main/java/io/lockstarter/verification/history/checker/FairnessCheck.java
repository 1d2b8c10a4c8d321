package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Span;

/**
 * Check that a lock with fair requests only is granted in order of arrival. Applies where
 * no fault occurs and the order of arrival is clear.
 */
final class FairnessCheck {

	/**
	 * Shortest time between two arrivals whose order is clear, in addition to the time
	 * that a command takes: 250 ms.
	 */
	private static final long CLEAR_NANOS = 250_000_000;

	private final RoundRecord round;

	private final KeyHistory key;

	private final Figures figures;

	private final Consumer<Violation> violations;

	private FairnessCheck(RoundRecord round, KeyHistory key, Figures figures, Consumer<Violation> violations) {
		this.round = round;
		this.key = key;
		this.figures = figures;
		this.violations = violations;
	}

	/**
	 * Checks a lock, unless it has permits: the holder of a permit may be notified after
	 * a later one, so the order is not clear.
	 */
	static void check(RoundRecord round, KeyHistory key, Figures figures, Consumer<Violation> violations) {
		boolean fair = !PermitKeys.isOne(key.key())
				&& key.holds().stream().allMatch((hold) -> hold.grant().type() == LockType.FAIR)
				&& key.misses().stream().allMatch((miss) -> miss.type() == LockType.FAIR);
		if (fair) {
			new FairnessCheck(round, key, figures, violations).check();
		}
	}

	private void check() {
		List<Wait> waits = Wait.of(this.key);
		List<Wait> waiting = new ArrayList<>();
		int next = 0;
		for (Hold hold : this.key.holds()) {
			long granted = hold.grant().granted();
			while (next < waits.size() && waits.get(next).begin() < granted) {
				waiting.add(waits.get(next++));
			}
			waiting.removeIf((wait) -> wait.end() <= granted);
			waiting.forEach((wait) -> compare(wait, hold));
		}
	}

	/** Compares a waiting request with a hold that was granted during its wait. */
	private void compare(Wait wait, Hold hold) {
		long apart = hold.grant().invoked() - wait.begin();
		if (Math.abs(apart) < CLEAR_NANOS + this.round.roundTrip().toNanos()
				|| !this.round.isCalm(new Span(wait.begin(), hold.grant().granted()))) {
			return;
		}
		this.figures.fairPairs++;
		if (apart > 0) {
			this.violations.accept(new Violation(Kind.FAIRNESS, this.key.key(),
					String.format(Locale.ROOT, "%s was requested %.1f ms after a request that still waited: %s", hold,
							apart / 1e6, wait.request()),
					hold));
		}
	}

}
