package io.lockstarter.verification.history.checker;

import java.util.Locale;
import java.util.function.Consumer;

import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Ask;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;

/**
 * Whoever asks for a lock is answered, one way or the other, when its wait time is over.
 */
final class StuckCheck {

	/**
	 * By how much an answer may be late: Redis may be away at the end of the wait time,
	 * and the JVM be stopped. What is stuck stays so for longer.
	 */
	static final long MARGIN_NANOS = 20_000_000_000L;

	private StuckCheck() {
	}

	static void check(JvmHistory jvm, Figures figures, Consumer<Violation> violations) {
		for (Ask ask : jvm.asks()) {
			figures.asks++;
			if (ask.answered() == Hold.NEVER) {
				violations.accept(stuck(ask, "was never answered"));
			}
			else if (ask.answered() - ask.asked() > ask.patience() + MARGIN_NANOS) {
				violations.accept(stuck(ask, String.format(Locale.ROOT, "was kept waiting for %.1f s",
						seconds(ask.answered() - ask.asked()))));
			}
		}
	}

	private static Violation stuck(Ask ask, String what) {
		return new Violation(Kind.STUCK, "",
				String.format(Locale.ROOT, "The request of %s in JVM %d %s; it would have waited for %.1f s",
						ask.thread(), ask.jvm(), what, seconds(ask.patience())));
	}

	private static double seconds(long nanos) {
		return nanos / 1e9;
	}

}
