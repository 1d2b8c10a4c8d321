package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.lockstarter.verification.history.checker.Checker;
import io.lockstarter.verification.history.checker.Findings;
import io.lockstarter.verification.history.checker.RoundRecord;
import io.lockstarter.verification.history.nemesis.Ending;
import io.lockstarter.verification.history.nemesis.FaultEvent;
import io.lockstarter.verification.history.nemesis.Nemesis;
import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Stage;
import io.lockstarter.verification.history.recording.HistoryReader;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.Span;
import io.lockstarter.verification.history.report.RoundResult;
import io.lockstarter.verification.history.worker.Guards;

/**
 * Round of worker JVMs on a stage with faults, followed by a check of their histories.
 */
public final class Round {

	/**
	 * Time within which the server detects a dead client that is first in the queue: 3 s.
	 */
	private static final Duration DEAD_CLIENT = Duration.ofSeconds(3);

	/** Duration from which a stall of a JVM counts as a fault: 100 ms. */
	private static final long DISTURBING_STALL_NANOS = 100_000_000;

	private final int number;

	private final Scenario scenario;

	private final Duration struck;

	private final Duration longestPause;

	private final Duration calm;

	/**
	 * Creates a round.
	 * @param number the number of the round
	 * @param scenario the topology, JVMs and locks of the round
	 * @param struck the time during which faults are injected
	 * @param longestPause the longest pause between two faults
	 * @param calm the time for which the JVMs continue after the last fault
	 */
	public Round(int number, Scenario scenario, Duration struck, Duration longestPause, Duration calm) {
		this.number = number;
		this.scenario = scenario;
		this.struck = struck;
		this.longestPause = longestPause;
		this.calm = calm;
	}

	/**
	 * Runs the round.
	 * @param folder the folder for histories
	 * @return the result of the round
	 * @throws IOException if a history cannot be read
	 */
	public RoundResult run(Path folder) throws IOException {
		long begin = System.nanoTime();
		try (Stage stage = new Stage(this.scenario, folder)) {
			List<FaultEvent> faults = new Nemesis(stage, this.longestPause).strike(this.struck);
			Nemesis.rest(this.calm);
			Files.write(folder.resolve("faults.txt"), faults.stream().map(FaultEvent::toString).toList());
			Ending ending = new Ending(stage);
			ending.finish();
			ending.checkForTraces(idleClients(stage));
			ending.takePermits();
			ending.close();
			List<JvmHistory> jvms = histories(stage);
			RoundRecord record = new RoundRecord(this.scenario.topology().claim(), jvms, stage.stops(),
					covered(faults, jvms, stage.starts()), this.scenario.roundTrip());
			Guards guards = Guards.map(stage.guards(), this.scenario.keys().size());
			Findings findings = Checker.check(record, ending.leaks(),
					(key) -> guards.count(this.scenario.keys().indexOf(key)),
					(key) -> guards.refused(this.scenario.keys().indexOf(key)));
			Duration taken = Duration.ofNanos(System.nanoTime() - begin);
			return RoundResult.of(this.number, this.scenario, faults, record, findings, taken);
		}
	}

	private static Set<String> idleClients(Stage stage) throws IOException {
		return histories(stage).stream()
			.filter((jvm) -> !stage.kills().containsKey(jvm.jvm()))
			.flatMap((jvm) -> jvm.clients().entrySet().stream())
			.filter((client) -> client.getValue() == Hold.NEVER)
			.map((client) -> client.getKey())
			.collect(Collectors.toSet());
	}

	private static List<JvmHistory> histories(Stage stage) throws IOException {
		List<JvmHistory> histories = new ArrayList<>();
		for (int jvm : stage.jvms()) {
			JvmHistory history = HistoryReader.read(jvm, stage.history(jvm));
			Long killed = stage.kills().get(jvm);
			if (killed != null) {
				history.killed(killed);
			}
			histories.add(history);
		}
		return histories;
	}

	/**
	 * Returns the spans in which faults or their consequences may delay the grant of a
	 * free lock.
	 */
	private List<Span> covered(List<FaultEvent> faults, List<JvmHistory> jvms, List<Span> starts) {
		long consequences = this.scenario.longestLease().plus(DEAD_CLIENT).toNanos();
		List<Span> covered = new ArrayList<>();
		faults.forEach((fault) -> covered.add(new Span(fault.span().begin(), fault.span().end() + consequences)));
		starts.forEach((start) -> covered.add(new Span(start.begin(), start.end() + consequences)));
		for (JvmHistory jvm : jvms) {
			for (Span stall : jvm.stalls()) {
				if (stall.nanos() > DISTURBING_STALL_NANOS) {
					covered.add(new Span(stall.begin(), stall.end() + consequences));
				}
			}
		}
		return covered;
	}

}
