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
 * What happened in a round, and what was found.
 *
 * @param number the number of the round
 * @param scenario what took part
 * @param faults how often each fault struck
 * @param figures what was counted
 * @param exhibits the first violations
 * @param taken how long it took
 */
public record RoundResult(int number, Scenario scenario, Map<FaultClass, Integer> faults, Figures figures,
		List<Exhibit> exhibits, Duration taken) {

	private static final int PICTURES = 5;

	/**
	 * Draws up the result of a round.
	 * @param number the number of the round
	 * @param scenario what took part
	 * @param events the faults
	 * @param record what is known of it
	 * @param findings what was found
	 * @param taken how long it took
	 * @return the result, which keeps nothing of the history but its pictures
	 */
	public static RoundResult of(int number, Scenario scenario, List<FaultEvent> events, RoundRecord record,
			Findings findings, Duration taken) {
		Map<FaultClass, Integer> faults = new EnumMap<>(FaultClass.class);
		events.forEach((event) -> faults.merge(event.fault(), 1, Integer::sum));
		List<Exhibit> exhibits = new ArrayList<>();
		for (Violation violation : findings.violations()) {
			boolean drawn = exhibits.size() < PICTURES && !violation.holds().isEmpty();
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
	 * A violation to be shown.
	 *
	 * @param kind what kind of thing happened
	 * @param text what happened
	 * @param picture the holds around it as SVG, or empty
	 */
	public record Exhibit(Violation.Kind kind, String text, String picture) {
	}

}
