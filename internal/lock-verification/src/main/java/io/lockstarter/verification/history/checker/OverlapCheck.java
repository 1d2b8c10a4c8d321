package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;

/**
 * Check that no two owners hold a lock at the same time, unless both holds are shared.
 */
final class OverlapCheck {

	private OverlapCheck() {
	}

	static void check(KeyHistory key, Consumer<Violation> violations) {
		List<Hold> active = new ArrayList<>();
		for (Hold hold : key.holds()) {
			if (!hold.isBelieved()) {
				continue;
			}
			active.removeIf((other) -> other.believedEnd() <= hold.grant().granted());
			for (Hold other : active) {
				if (!(hold.grant().isShared() && other.grant().isShared()) && !hold.isOneWith(other)) {
					long overlap = Math.min(hold.believedEnd(), other.believedEnd()) - hold.grant().granted();
					violations.accept(new Violation(
							Kind.OVERLAP, key.key(), String.format(Locale.ROOT,
									"%s and %s held it together for %.3f ms", other, hold, overlap / 1e6),
							other, hold));
				}
			}
			active.add(hold);
		}
	}

}
