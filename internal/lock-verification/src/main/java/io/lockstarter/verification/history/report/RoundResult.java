package io.lockstarter.verification.history.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.verification.history.checker.Figures;
import io.lockstarter.verification.history.checker.Findings;
import io.lockstarter.verification.history.checker.RoundRecord;
import io.lockstarter.verification.history.checker.Violation;
import io.lockstarter.verification.history.nemesis.FaultClass;
import io.lockstarter.verification.history.nemesis.FaultEvent;
import io.lockstarter.verification.history.nemesis.Scenario;

/**
 * Result of a round.
 *
 * @param number the number of the round
 * @param scenario the topology, JVMs and locks
 * @param faults the number of times each fault was injected
 * @param figures the counts and measurements
 * @param exhibits the first violations
 * @param taken the duration of the round
 */
public record RoundResult(int number, Scenario scenario, Map<FaultClass, Integer> faults, Figures figures,
		List<Exhibit> exhibits, Duration taken) {

	/** Limit on pictures of a round: 5. */
	private static final int MAX_PICTURES = 5;

	/**
	 * Creates the result of a round.
	 * @param number the number of the round
	 * @param scenario the topology, JVMs and locks
	 * @param events the faults
	 * @param record the record of the round
	 * @param findings the findings
	 * @param taken the duration of the round
	 * @return the result, which keeps only pictures of the history
	 */
	public static RoundResult of(int number, Scenario scenario, List<FaultEvent> events, RoundRecord record,
			Findings findings, Duration taken) {
		Map<FaultClass, Integer> faults = new EnumMap<>(FaultClass.class);
		events.forEach((event) -> faults.merge(event.fault(), 1, Integer::sum));
		List<Exhibit> exhibits = new ArrayList<>();
		for (Violation violation : findings.violations()) {
			boolean drawn = exhibits.size() < MAX_PICTURES && !violation.holds().isEmpty();
			exhibits.add(new Exhibit(violation.kind(), violation.text(),
					drawn ? Timeline.draw(record, events, violation) : ""));
		}
		return new RoundResult(number, scenario, faults, findings.figures(), exhibits, taken);
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "round %d (%s): %,d holds, %d faults, %d violations, %d s", this.number,
				this.scenario, this.figures.holds(), this.faults.values().stream().mapToInt(Integer::intValue).sum(),
				this.figures.violations(), this.taken.toSeconds());
	}

	/**
	 * Violation in a report.
	 *
	 * @param kind the kind of the violation
	 * @param text the description
	 * @param picture the holds around the violation as SVG, or empty
	 */
	public record Exhibit(Violation.Kind kind, String text, String picture) {
	}

}
