package io.lockstarter.verification.history.checker;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;

/**
 * Check that the counter of a lock has lost no update, and that the fenced store has
 * refused no holder.
 */
final class GuardCheck {

	private GuardCheck() {
	}

	static void check(KeyHistory key, long counted, Claim claim, Figures figures, Consumer<Violation> violations) {
		List<Hold> writers = key.holds().stream().filter((hold) -> hold.visit().wrote()).toList();
		long late = writers.stream().filter((hold) -> hold.visit().late()).count();
		long lost = Math.max(0, writers.size() - counted);
		figures.updates += writers.size();
		figures.lateUpdates += late;
		figures.lostUpdates += lost;
		// A holder that counts after the end of its lease may overwrite updates of others
		if (claim == Claim.EXCLUSION && late == 0) {
			if (lost > 0) {
				violations.accept(new Violation(Kind.GUARD, key.key(),
						String.format(Locale.ROOT, "The counter shows %d of %d updates", counted, writers.size())));
			}
			key.holds()
				.stream()
				.filter((hold) -> hold.visit().torn())
				.forEach((hold) -> violations.accept(new Violation(Kind.GUARD, key.key(),
						"The counter changed while %s read it".formatted(hold), hold)));
		}
		if (claim == Claim.EXCLUSION) {
			key.holds()
				.stream()
				.filter((hold) -> hold.visit().refused())
				.forEach((hold) -> violations.accept(new Violation(Kind.GUARD, key.key(),
						"The store had seen a higher token than that of %s".formatted(hold), hold)));
		}
	}

}
