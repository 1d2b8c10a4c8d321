package io.lockstarter.verification.history.checker;

import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Attempt;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;

/**
 * Check that every request completes when its wait time is over.
 */
final class StuckCheck {

	/**
	 * Tolerance for late completion: 20 s. Redis may be unavailable at the end of the
	 * wait time, and the JVM may be stopped. A stuck request waits for longer.
	 */
	static final long MARGIN_NANOS = 20_000_000_000L;

	private StuckCheck() {
	}

	static void check(JvmHistory jvm, Figures figures, Consumer<Violation> violations) {
		for (Attempt attempt : jvm.attempts()) {
			figures.attempts++;
			if (attempt.completed() == Hold.NEVER) {
				violations.accept(stuck(attempt, "never completed"));
			}
			else if (attempt.completed() - attempt.requested() > attempt.waitTime() + MARGIN_NANOS) {
				violations.accept(stuck(attempt, String.format(Locale.ROOT, "completed after %.1f s",
						seconds(attempt.completed() - attempt.requested()))));
			}
		}
	}

	private static Violation stuck(Attempt attempt, String problem) {
		return new Violation(Kind.STUCK, "",
				String.format(Locale.ROOT, "The request of %s in JVM %d %s; its wait time was %.1f s", attempt.thread(),
						attempt.jvm(), problem, seconds(attempt.waitTime())));
	}

	private static double seconds(long nanos) {
		return nanos / 1e9;
	}

}
