package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.ReleaseOutcome;

/**
 * Checker of the record of a round. Memory and time grow with the number of holds.
 */
public final class Checker {

	/**
	 * Limit on violations of each kind that are reported: 20. All violations are counted.
	 */
	private static final int MAX_REPORTED = 20;

	private final RoundRecord round;

	private final Figures figures = new Figures();

	private final List<Violation> violations = new ArrayList<>();

	private Checker(RoundRecord round) {
		this.round = round;
	}

	/**
	 * Checks a round.
	 * @param round the record of the round
	 * @param leaks the leaks that were found at the end of the round
	 * @param counted the final value of each lock's counter
	 * @param refused the number of writes that the store of each lock has refused
	 * @return the findings
	 */
	public static Findings check(RoundRecord round, List<String> leaks, ToLongFunction<String> counted,
			ToLongFunction<String> refused) {
		Checker checker = new Checker(round);
		leaks.forEach((leak) -> checker.report(new Violation(Kind.LEAK, "", leak)));
		checker.check(counted, refused);
		return new Findings(checker.figures, List.copyOf(checker.violations));
	}

	private void check(ToLongFunction<String> counted, ToLongFunction<String> refused) {
		this.round.jvms().forEach(this::checkOutcomes);
		this.round.jvms().forEach((jvm) -> StuckCheck.check(jvm, this.figures, this::report));
		new LossCheck(this.round, this.figures, this::report).check();
		for (Map.Entry<String, KeyHistory> entry : this.round.byKey().entrySet()) {
			KeyHistory key = entry.getValue();
			TokenCheck.check(this.round, key, this::report);
			WakeUpCheck.check(this.round, key, this.figures, this::report);
			FairnessCheck.check(this.round, key, this.figures, this::report);
			GuardCheck.check(key, counted.applyAsLong(key.key()), this.round.claim(), this.figures, this::report);
			this.figures.refusedWrites += refused.applyAsLong(key.key());
			switch (this.round.claim()) {
				case EXCLUSION -> {
					OverlapCheck.check(key, this::report);
					PermitCheck.check(key, this.figures, this::report);
				}
				case FENCING -> {
					// Exclusion is not guaranteed, and tokens are checked above
				}
			}
		}
	}

	private void checkOutcomes(JvmHistory jvm) {
		this.figures.misses += jvm.misses().size();
		jvm.anomalies()
			.forEach((anomaly) -> report(
					new Violation(Kind.OUTCOME, "", String.format(Locale.ROOT, "JVM %d: %s", jvm.jvm(), anomaly))));
		for (Hold hold : jvm.holds()) {
			this.figures.holds++;
			this.figures.permits += hold.grant().isPermit() ? 1 : 0;
			this.figures.unbelieved += hold.isBelieved() ? 0 : 1;
			this.figures.handedOver += (hold.grant().kind() == GrantKind.HANDED_OVER) ? 1 : 0;
			if (hold.outcome() == ReleaseOutcome.NOT_HELD) {
				report(new Violation(Kind.OUTCOME, hold.grant().key(),
						hold + " was released, and the reply was that it had never been held", hold));
			}
		}
	}

	private void report(Violation violation) {
		long count = this.figures.violations.merge(violation.kind(), 1L, Long::sum);
		if (count <= MAX_REPORTED) {
			this.violations.add(violation);
		}
	}

}
