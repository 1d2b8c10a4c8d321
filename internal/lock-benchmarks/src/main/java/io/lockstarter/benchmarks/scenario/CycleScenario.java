package io.lockstarter.benchmarks.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;

/**
 * Scenario of threads that acquire and release locks as fast as possible. All contenders
 * are started first, then measured in turns.
 *
 * @param fleet the fleet of contenders
 * @param id the name in options
 * @param title the name in the report
 * @param load the work of the threads
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record CycleScenario(Fleet fleet, String id, String title, Load load, List<ContenderType> shortField,
		List<ContenderType> fullField) implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.THROUGHPUT, Metric.WAIT_P50, Metric.WAIT_P99,
			Metric.WAIT_MAX, Metric.SHARE_MIN, Metric.SHARE_MAX, Metric.SCRIPT_CALLS, Metric.SENT, Metric.COMMANDS,
			Metric.CPU, Metric.SCRIPT_TIME, Metric.SERVER_CPU, Metric.IN_USE, Metric.VIOLATIONS);

	@Override
	public Outcome run(Options options) {
		Optional<Path> javaHome = this.load.virtual() ? Jdks.atLeast(21, options) : Optional.of(Jdks.current());
		if (javaHome.isEmpty()) {
			return new Outcome(this.id, this.title, "NOT RUN: no JDK 21 or newer was found; name one with --jdk25.",
					METRICS, List.of());
		}
		List<ContenderType> field = options.choose(options.form().pick(this.shortField, this.fullField),
				this.fullField);
		if (field.isEmpty()) {
			return Outcome.notRun(this.id, this.title, METRICS);
		}
		Duration roundTime = options.roundTime(options.form().pick(this.load.shortRound(), this.load.fullRound()));
		List<Participant> participants = this.fleet.muster(field, this.load.jvms(), javaHome.get())
			.stream()
			.map((entry) -> new Participant(entry, this.load, roundTime,
					this.load.hold().isZero() ? options.thinkTime() : this.load.hold()))
			.toList();
		participants.forEach(Participant::awaitReady);
		runRounds(participants, options);
		return new Outcome(this.id, this.title, describe(options, javaHome.get(), roundTime), METRICS,
				participants.stream().map(Participant::row).toList());
	}

	private String describe(Options options, Path javaHome, Duration roundTime) {
		int generations = this.load.generations();
		return String.format(Locale.ROOT, "%s, on JDK %d; medians of %d rounds of %d ms in turns%s",
				this.load.describe(), Jdks.version(javaHome), options.rounds() * generations, roundTime.toMillis(),
				(generations > 1) ? ", in new JVMs " + generations + " times" : "");
	}

	private void runRounds(List<Participant> participants, Options options) {
		Duration warmUp = options.warmUp();
		for (int i = 0; i < this.load.generations(); i++) {
			if (i > 0) {
				participants.forEach(Participant::restart);
			}
			participants.forEach((participant) -> participant.warmUp(warmUp));
			for (int round = 0; round < options.rounds(); round++) {
				participants.forEach((participant) -> participant.measure(warmUp));
			}
		}
		participants.forEach(Participant::trace);
	}

}
