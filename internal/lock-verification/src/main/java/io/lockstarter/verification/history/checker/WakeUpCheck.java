package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.function.Consumer;

import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Span;

/**
 * Check that a free lock, or a free permit, is granted within a bound to a waiting
 * request. Applies where no fault occurs, and to permits where no request is exclusive.
 */
final class WakeUpCheck {

	/** Limit on the time for which a lock is free while a request waits: 1.5 s. */
	private static final long BOUND_NANOS = 1_500_000_000;

	private final RoundRecord round;

	private final KeyHistory key;

	private final Figures figures;

	private final Consumer<Violation> violations;

	private WakeUpCheck(RoundRecord round, KeyHistory key, Figures figures, Consumer<Violation> violations) {
		this.round = round;
		this.key = key;
		this.figures = figures;
		this.violations = violations;
	}

	static void check(RoundRecord round, KeyHistory key, Figures figures, Consumer<Violation> violations) {
		new WakeUpCheck(round, key, figures, violations).check();
	}

	private void check() {
		List<Wait> waits = Wait.of(this.key);
		List<Wait> waiting = new ArrayList<>();
		int next = 0;
		// The latest ends of holds, one for each permit
		PriorityQueue<Long> freed = new PriorityQueue<>();
		int permits = PermitKeys.isOrExclusive(this.key.key()) ? 1 : PermitKeys.permits(this.key.key());
		for (Hold hold : this.key.holds()) {
			long granted = hold.grant().granted();
			Long free = freed.peek();
			if (free != null && freed.size() == permits && granted > free) {
				while (next < waits.size() && waits.get(next).begin() < granted) {
					waiting.add(waits.get(next++));
				}
				long idleSince = free;
				waiting.removeIf((wait) -> wait.end() <= idleSince);
				idle(new Span(free, granted), waiting);
			}
			freed.add(freedAt(hold));
			if (freed.size() > permits) {
				freed.remove();
			}
		}
	}

	/**
	 * Returns the time at which Redis knew the end of a hold, by a release or by the end
	 * of the lease.
	 */
	private static long freedAt(Hold hold) {
		return (hold.releaseReturn() != Hold.NEVER) ? hold.releaseReturn()
				: Math.max(hold.deadline(), hold.believedEnd());
	}

	private void idle(Span idle, List<Wait> waiting) {
		long longest = 0;
		for (Wait wait : waiting) {
			longest = Math.max(longest, Math.min(wait.end(), idle.end()) - Math.max(wait.begin(), idle.begin()));
		}
		if (longest > 0 && this.round.isCalm(idle)) {
			this.figures.wakeUps.recordValue(longest);
			// A release and an acquire take a round trip each
			if (longest > BOUND_NANOS + 2 * this.round.roundTrip().toNanos()) {
				this.violations.accept(new Violation(Kind.WAKE_UP, this.key.key(), String.format(Locale.ROOT,
						"%s was free for %.1f ms while a request waited", this.key.key(), longest / 1e6)));
			}
		}
	}

}
