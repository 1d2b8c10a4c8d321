package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;

/**
 * Check that no more permits are held at a time than the highest number that a holder has
 * requested.
 */
final class PermitCheck {

	private PermitCheck() {
	}

	static void check(KeyHistory key, Figures figures, Consumer<Violation> violations) {
		List<Hold> active = new ArrayList<>();
		for (Hold hold : key.holds()) {
			if (!hold.grant().isPermit() || !hold.isBelieved()) {
				continue;
			}
			active.removeIf((other) -> other.believedEnd() <= hold.grant().granted());
			active.add(hold);
			int permits = active.stream().mapToInt((other) -> other.grant().permits()).max().orElseThrow();
			if (active.size() == permits) {
				figures.allPermitsHeld++;
			}
			else if (active.size() > permits) {
				violations.accept(new Violation(Kind.PERMITS, key.key(),
						String.format(Locale.ROOT, "%s made %d holders of %d permits", hold, active.size(), permits),
						List.copyOf(active)));
			}
		}
	}

}
