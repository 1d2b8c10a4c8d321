package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.core.LockLoss;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.ReleaseOutcome;
import io.lockstarter.verification.history.recording.Span;

/**
 * Every loss is told, and in time: 50 ms after the local deadline, or 100 ms after a JVM
 * that had been stopped goes on.
 */
final class LossCheck {

	private static final long BOUND_NANOS = 50_000_000;

	private static final long BOUND_AFTER_STOP_NANOS = 100_000_000;

	/** Between the clocks that the engine and the record go by. */
	private static final long TOLERANCE_NANOS = 5_000_000;

	/**
	 * How long after a registry was closed a thread may get a lock that it still gave.
	 */
	private static final long CLOSING_NANOS = 1_000_000_000;

	private final RoundRecord round;

	private final Figures figures;

	private final Consumer<Violation> violations;

	LossCheck(RoundRecord round, Figures figures, Consumer<Violation> violations) {
		this.round = round;
		this.figures = figures;
		this.violations = violations;
	}

	void check() {
		for (JvmHistory jvm : this.round.jvms()) {
			List<Span> stops = this.round.stops().getOrDefault(jvm.jvm(), List.of());
			for (Hold hold : jvm.holds()) {
				check(hold, jvm, stops);
			}
		}
	}

	private void check(Hold hold, JvmHistory jvm, List<Span> stops) {
		if (hold.loss() != Hold.NEVER) {
			this.figures.losses++;
		}
		if (isStolen(hold)) {
			report(Kind.STOLEN, hold, "was lost %.1f ms before its lease ended, as %s"
				.formatted(millis(hold.deadline() - hold.loss()), hold.lossReason()));
		}
		boolean outlived = hold.isBelieved() && hold.releaseCall() > hold.deadline() && hold.jvmEnd() > hold.deadline()
				&& !wasClosed(hold, jvm);
		if (outlived && hold.loss() >= hold.deadline()) {
			checkTold(hold, jvm, stops);
		}
	}

	private boolean isStolen(Hold hold) {
		return this.round.claim() == Claim.EXCLUSION && hold.lossReason().equals(LockLoss.Reason.NOT_OWNED.name())
				&& hold.loss() < hold.deadline() - TOLERANCE_NANOS && hold.loss() > hold.grant().granted();
	}

	/** A registry that is closed tells nothing any more. */
	private static boolean wasClosed(Hold hold, JvmHistory jvm) {
		return jvm.clients()
			.values()
			.stream()
			.anyMatch((at) -> hold.grant().granted() < at + CLOSING_NANOS && at < hold.deadline() + BOUND_NANOS);
	}

	private void checkTold(Hold hold, JvmHistory jvm, List<Span> stops) {
		long due = due(hold.deadline(), stops);
		boolean stopped = due > hold.deadline() + BOUND_NANOS;
		long told = hold.loss();
		if (told == Hold.NEVER) {
			checkReleased(hold, due);
			return;
		}
		if (!stopped) {
			this.figures.lossLatency.recordValue(told - hold.deadline());
		}
		else {
			this.figures.lossLatencyAfterStop.recordValue(Math.max(0, told - (due - BOUND_AFTER_STOP_NANOS)));
		}
		if (told <= due) {
			return;
		}
		List<Span> all = new ArrayList<>(stops);
		all.addAll(jvm.stalls());
		if (told <= due(hold.deadline(), all)) {
			this.figures.lateLossesOfStalledJvms++;
		}
		else {
			report(Kind.LATE_LOSS, hold, "was told lost %.1f ms after its deadline, %.1f ms too late"
				.formatted(millis(told - hold.deadline()), millis(told - due)));
		}
	}

	private void checkReleased(Hold hold, long due) {
		if (hold.releaseCall() > due && hold.jvmEnd() > due) {
			report(Kind.UNTOLD_LOSS, hold, "was never told lost although it was kept for %.1f ms after its deadline"
				.formatted(millis(Math.min(hold.releaseCall(), hold.jvmEnd()) - hold.deadline())));
		}
		else if (hold.outcome() == ReleaseOutcome.RELEASED && hold.releaseCall() > hold.deadline() + TOLERANCE_NANOS) {
			report(Kind.OUTCOME, hold, "was released as if nothing had happened, %.1f ms after its deadline"
				.formatted(millis(hold.releaseCall() - hold.deadline())));
		}
	}

	/** When a loss at a deadline is to be told, if the JVM did not run at some times. */
	private static long due(long deadline, List<Span> pauses) {
		long due = deadline + BOUND_NANOS;
		boolean changed = true;
		while (changed) {
			changed = false;
			for (Span pause : pauses) {
				if (pause.begin() <= due && pause.end() >= deadline && pause.end() + BOUND_AFTER_STOP_NANOS > due) {
					due = pause.end() + BOUND_AFTER_STOP_NANOS;
					changed = true;
				}
			}
		}
		return due;
	}

	private void report(Kind kind, Hold hold, String text) {
		this.violations.accept(new Violation(kind, hold.grant().key(), hold + " " + text, hold));
	}

	private static double millis(long nanos) {
		return nanos / 1e6;
	}

}
