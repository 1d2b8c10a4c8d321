package io.lockstarter.verification.history.checker;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lockstarter.core.LockLoss;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.ReleaseOutcome;
import io.lockstarter.verification.history.recording.Span;

/**
 * Check that every loss is reported in time: within 50 ms after the local deadline, or
 * 100 ms after a stopped JVM resumes. No loss may be reported of a lock whose lease
 * lasted until its release began.
 */
final class LossCheck {

	/** Limit on the delay of a reported loss after the deadline: 50 ms. */
	private static final long BOUND_NANOS = 50_000_000;

	/** Limit on the delay of a reported loss after a stopped JVM resumes: 100 ms. */
	private static final long BOUND_AFTER_STOP_NANOS = 100_000_000;

	/** Tolerance for the difference between the clocks of engine and record: 5 ms. */
	private static final long TOLERANCE_NANOS = 5_000_000;

	/** Tolerance for the time from the record of a release to its beginning: 100 ms. */
	private static final long BEGIN_NANOS = 100_000_000;

	/**
	 * Limit on the time after the close of a registry in which a thread may receive a
	 * lock: 1 s.
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
		if (hold.isBelieved()) {
			if (hold.outcome() != null && hold.releaseCall() < hold.deadline()
					&& hold.releaseReturn() > hold.deadline()) {
				this.figures.lateReleases++;
			}
			checkGenuine(hold, jvm, stops);
		}
		boolean exceeded = hold.isBelieved() && hold.releaseCall() > hold.deadline() && hold.jvmEnd() > hold.deadline()
				&& !wasClosed(hold, jvm);
		if (exceeded && hold.loss() >= hold.deadline()) {
			checkReported(hold, jvm, stops);
		}
	}

	private void checkGenuine(Hold hold, JvmHistory jvm, List<Span> stops) {
		if (isForgotten(hold)) {
			return;
		}
		if (hold.loss() < hold.deadline() - TOLERANCE_NANOS) {
			report(Kind.FALSE_LOSS, hold,
					String.format(Locale.ROOT, "was reported lost %.1f ms before its lease ended, as %s",
							millis(hold.deadline() - hold.loss()), hold.lossReason()));
		}
		else if (isLost(hold) && hold.releaseCall() < hold.deadline() - BEGIN_NANOS) {
			if (mayHaveBegunLate(hold, join(Stream.of(stops, jvm.stalls())))) {
				this.figures.lossesOfStalledReleases++;
			}
			else {
				report(Kind.FALSE_LOSS, hold,
						String.format(Locale.ROOT,
								"was reported lost although its release began %.1f ms before its lease ended",
								millis(hold.deadline() - hold.releaseCall())));
			}
		}
	}

	private static boolean isLost(Hold hold) {
		return hold.outcome() == ReleaseOutcome.LOST || hold.loss() != Hold.NEVER;
	}

	/**
	 * Returns whether a server that lost its data reported the loss while the lease
	 * lasted.
	 */
	private boolean isForgotten(Hold hold) {
		return this.round.claim() == Claim.FENCING && hold.lossReason().equals(LockLoss.Reason.NOT_OWNED.name())
				&& hold.loss() < hold.deadline() + BOUND_NANOS;
	}

	/**
	 * Returns whether the thread may have stalled between the record of the release and
	 * its beginning.
	 */
	private static boolean mayHaveBegunLate(Hold hold, List<Span> pauses) {
		return due(hold.releaseCall(), pauses) > hold.deadline() - BEGIN_NANOS;
	}

	/** Returns whether the registry was closed, after which it reports no losses. */
	private static boolean wasClosed(Hold hold, JvmHistory jvm) {
		return jvm.clients()
			.values()
			.stream()
			.anyMatch((at) -> hold.grant().granted() < at + CLOSING_NANOS && at < hold.deadline() + BOUND_NANOS);
	}

	private void checkReported(Hold hold, JvmHistory jvm, List<Span> stops) {
		long due = due(hold.deadline(), stops);
		boolean stopped = due > hold.deadline() + BOUND_NANOS;
		long reported = hold.loss();
		if (reported == Hold.NEVER) {
			checkReleased(hold, due(hold.deadline(), join(Stream.of(stops, jvm.blocks()))));
			return;
		}
		if (!stopped) {
			this.figures.lossLatency.recordValue(reported - hold.deadline());
		}
		else {
			this.figures.lossLatencyAfterStop.recordValue(Math.max(0, reported - (due - BOUND_AFTER_STOP_NANOS)));
		}
		if (reported <= due) {
			return;
		}
		// A renewal that is reported late has a later deadline than the record
		if (reported <= due(hold.deadline(), join(Stream.of(stops, jvm.stalls(), jvm.blocks())))) {
			this.figures.lateLossesOfStalledJvms++;
		}
		else {
			report(Kind.LATE_LOSS, hold,
					String.format(Locale.ROOT, "was reported lost %.1f ms after its deadline, %.1f ms too late",
							millis(reported - hold.deadline()), millis(reported - due)));
		}
	}

	private static List<Span> join(Stream<List<Span>> spans) {
		return spans.flatMap(List::stream).toList();
	}

	private void checkReleased(Hold hold, long due) {
		if (hold.releaseCall() > due && hold.jvmEnd() > due) {
			report(Kind.MISSED_LOSS, hold,
					String.format(Locale.ROOT,
							"was never reported lost although it was held for %.1f ms after its deadline",
							millis(Math.min(hold.releaseCall(), hold.jvmEnd()) - hold.deadline())));
		}
		else if (hold.outcome() == ReleaseOutcome.RELEASED && hold.releaseCall() > hold.deadline() + TOLERANCE_NANOS) {
			report(Kind.OUTCOME, hold,
					String.format(Locale.ROOT, "was released without an error %.1f ms after its deadline",
							millis(hold.releaseCall() - hold.deadline())));
		}
	}

	/**
	 * Returns the limit for an action that is due at a time, extended by the pauses of
	 * the JVM.
	 */
	private static long due(long time, List<Span> pauses) {
		long due = time + BOUND_NANOS;
		boolean changed = true;
		while (changed) {
			changed = false;
			for (Span pause : pauses) {
				if (pause.begin() <= due && pause.end() >= time && pause.end() + BOUND_AFTER_STOP_NANOS > due) {
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
