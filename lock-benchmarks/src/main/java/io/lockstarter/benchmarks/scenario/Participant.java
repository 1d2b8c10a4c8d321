package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import io.lockstarter.benchmarks.worker.RoundOrder;
import io.lockstarter.benchmarks.worker.RoundResult;
import io.lockstarter.benchmarks.worker.Waits;
import io.lockstarter.benchmarks.worker.Worker.Request;
import io.lockstarter.testing.CommandStats;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A contender in a {@link CycleScenario}, with what was measured of it so far.
 */
final class Participant {

	/** Time for all workers to hear of a round before it starts. */
	private static final Duration NOTICE = Duration.ofMillis(100);

	private static final Duration LOOK = Duration.ofMillis(50);

	/** How many times as long as a warm-up new JVMs are broken in at most. */
	private static final int BREAK_IN = 8;

	/** How many times as long as asked for a warm-up may take. */
	private static final int LONGEST_WARM_UP = 4;

	private static final Duration WARM_UP_ROUND = Duration.ofSeconds(1);

	/** C2 compiles what was called 5,000 times since C1 has compiled it. */
	private static final int BREAK_IN_CYCLES = 50_000;

	private static final int FEW_COMPILER_MILLIS = 100;

	private static final int CROWD = 8;

	private static final int MOST_LOOKS = 40;

	/** Processor time in that span of a process that is idle; it is counted in 10 ms. */
	private static final Duration QUIET = Duration.ofMillis(10);

	private static final Duration TRACED = Duration.ofMillis(300);

	private static final double NANOS_PER_MICRO = 1e3;

	private static final double NANOS_PER_SECOND = 1e9;

	private static final double PERCENT = 100;

	private final Entry entry;

	private final Load load;

	private final Duration roundTime;

	private final Duration thinkTime;

	private final List<Map<Metric, Double>> rounds = new ArrayList<>();

	private final List<String> remarks = new ArrayList<>();

	private boolean restless;

	private boolean failed;

	private @Nullable CommandTrace commands;

	private long tracedCycles;

	Participant(Entry entry, Load load, Duration roundTime, Duration thinkTime) {
		this.entry = entry;
		this.load = load;
		this.roundTime = roundTime;
		this.thinkTime = thinkTime;
	}

	/**
	 * Runs rounds that do not count until compilers have done with them, for that long at
	 * least. New JVMs are broken in before.
	 */
	void warmUp(Duration time) {
		guarded(() -> {
			if (this.entry.isNew()) {
				breakIn(time.multipliedBy(BREAK_IN));
				this.entry.used();
			}
			run(this.load, time, 0, time.multipliedBy(LONGEST_WARM_UP));
			settle();
		});
	}

	/**
	 * Lets a JVM run many threads on locks of their own, which make more cycles in a short
	 * time than most loads do. Several JVMs do what is asked of them: they have so seldom
	 * to do with one another that it is compiled late.
	 */
	private void breakIn(Duration longest) {
		if (this.load.jvms() > 1) {
			run(this.load, longest, 0, longest);
		}
		else {
			run(this.load.crowd(CROWD), Duration.ZERO, BREAK_IN_CYCLES, longest);
		}
	}

	/**
	 * Runs rounds until compilers have done with them.
	 * @param least for how long at least
	 * @param leastCycles how many cycles every JVM has to make
	 * @param longest for how long, whatever else holds
	 */
	private void run(Load work, Duration least, long leastCycles, Duration longest) {
		Duration done = Duration.ZERO;
		long cycles = 0;
		boolean compiling = true;
		while (done.compareTo(longest) < 0 && (compiling || done.compareTo(least) < 0 || cycles < leastCycles)) {
			List<RoundResult> results = runWorkers(work, WARM_UP_ROUND);
			done = done.plus(WARM_UP_ROUND);
			cycles += results.stream().mapToLong(RoundResult::cycles).min().orElseThrow();
			compiling = results.stream().anyMatch((result) -> result.compilerMillis() > FEW_COMPILER_MILLIS);
		}
	}

	/** Runs a round that counts. */
	void measure(Duration warmUp) {
		if (this.restless) {
			this.remarks.add(String.format(Locale.ROOT, "restarted before round %d, since it did not become idle",
					this.rounds.size() + 1));
			restart();
			warmUp(warmUp);
		}
		guarded(() -> {
			this.rounds.add(round());
			settle();
		});
	}

	/** Goes on in new JVMs. */
	void restart() {
		this.restless = false;
		guarded(this.entry::restart);
	}

	void awaitReady() {
		guarded(this.entry::awaitReady);
	}

	private void guarded(Runnable step) {
		if (this.failed) {
			return;
		}
		try {
			step.run();
		}
		catch (RuntimeException | AssertionError ex) {
			this.failed = true;
			this.entry.failed();
			this.remarks.add("failed: " + ex.toString().lines().findFirst().orElse(""));
		}
	}

	/**
	 * Waits until the JVMs are idle, so that they do not disturb who comes next. Their
	 * compilers go on for a moment; what goes on for longer is the contender's.
	 */
	private void settle() {
		this.restless = true;
		for (int i = 0; i < MOST_LOOKS && this.restless; i++) {
			Duration before = cpu();
			Pause.of(LOOK);
			this.restless = cpu().minus(before).compareTo(QUIET) > 0;
		}
	}

	private Duration cpu() {
		return this.entry.workers().stream().map(WorkerProcess::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	private Map<Metric, Double> round() {
		long counted = this.entry.guards().count();
		CommandStats before = this.entry.stats();
		ServerTime timeBefore = this.entry.serverTime();
		List<RoundResult> results = runWorkers(this.load, this.roundTime);
		ServerTime time = this.entry.serverTime().minus(timeBefore);
		CommandStats commands = this.entry.stats().minus(before);
		return figures(results, commands, time, this.entry.guards().count() - counted);
	}

	/** Runs a round in which Redis tells of each command. */
	void trace() {
		guarded(() -> {
			CommandTracer tracer = CommandTracer.start(this.entry);
			List<RoundResult> results = runWorkers(this.load,
					(this.roundTime.compareTo(TRACED) < 0) ? this.roundTime : TRACED);
			this.commands = tracer.stop();
			if (this.entry.contender().servers() > 1) {
				this.remarks.add("commands sent: those to one of the servers");
			}
			this.tracedCycles = results.stream().mapToLong(RoundResult::cycles).sum();
		});
	}

	private List<RoundResult> runWorkers(Load work, Duration time) {
		long start = System.nanoTime() + NOTICE.toNanos();
		List<WorkerProcess> workers = this.entry.workers();
		for (int i = 0; i < workers.size(); i++) {
			workers.get(i).send(Request.ROUND, order(work, i * work.threads(), start, time));
		}
		return workers.stream().map((worker) -> worker.answer(RoundResult.class)).toList();
	}

	private RoundOrder order(Load work, int firstThread, long start, Duration time) {
		return new RoundOrder("lock", firstThread, work.threads(), work.shared(), work.virtual(), work.readers(),
				work.permits(), work.depth(), this.thinkTime.toNanos(), start, time.toNanos());
	}

	private Map<Metric, Double> figures(List<RoundResult> results, CommandStats commands, ServerTime time,
			long counted) {
		Histogram waits = Waits.create();
		results.forEach((result) -> waits.add(Waits.decode(result.waits())));
		long[] shares = results.stream()
			.flatMap((result) -> result.shares().stream())
			.mapToLong(Long::longValue)
			.toArray();
		double cycles = results.stream().mapToLong(RoundResult::cycles).sum();
		double inTime = results.stream().flatMap((result) -> result.shares().stream()).mapToLong(Long::longValue).sum();
		long cpu = results.stream().mapToLong(RoundResult::cpuNanos).sum();
		long violations = results.stream().mapToLong(RoundResult::violations).sum();
		Map<Metric, Double> figures = new EnumMap<>(Metric.class);
		double throughput = inTime * NANOS_PER_SECOND / this.roundTime.toNanos();
		figures.put(Metric.THROUGHPUT, throughput);
		if (this.load.shared() && !this.thinkTime.isZero()) {
			figures.put(Metric.IN_USE, PERCENT * inUse(results, inTime));
		}
		figures.put(Metric.WAIT_P50, waits.getValueAtPercentile(50) / NANOS_PER_MICRO);
		figures.put(Metric.WAIT_P99, waits.getValueAtPercentile(99) / NANOS_PER_MICRO);
		figures.put(Metric.WAIT_MAX, waits.getMaxValue() / NANOS_PER_MICRO);
		figures.put(Metric.SHARE_MIN, Statistics.leastShare(shares));
		figures.put(Metric.SHARE_MAX, Statistics.greatestShare(shares));
		figures.put(Metric.SCRIPT_CALLS, (commands.calls("evalsha") + commands.calls("eval")) / cycles);
		figures.put(Metric.COMMANDS, commands.total() / cycles);
		figures.put(Metric.CPU, cpu / NANOS_PER_MICRO / cycles);
		figures.put(Metric.SCRIPT_TIME, time.scriptMicros() / cycles);
		figures.put(Metric.SERVER_CPU, time.cpuMicros() / cycles);
		figures.put(Metric.VIOLATIONS, violations + Math.abs(cycles - counted));
		return figures;
	}

	/**
	 * Works that takes its time on a processor counts as long as it would take alone;
	 * sleep counts as long as it takes.
	 */
	private double inUse(List<RoundResult> results, double holds) {
		double held = (this.load.permits() > 1) ? results.stream().mapToLong(RoundResult::heldNanos).sum()
				: holds * this.thinkTime.toNanos();
		return held / this.load.permits() / this.roundTime.toNanos();
	}

	Row row() {
		Map<Metric, Double> medians = Statistics.medians(this.rounds);
		double violations = this.rounds.stream().mapToDouble((round) -> round.get(Metric.VIOLATIONS)).sum();
		if (violations > 0) {
			this.remarks.add((this.load.permits() > 1) ? "EXCEEDS ITS PERMITS" : "VIOLATES MUTUAL EXCLUSION");
		}
		if (!this.rounds.isEmpty()) {
			medians.put(Metric.VIOLATIONS, violations);
		}
		CommandTrace traced = this.commands;
		if (traced != null) {
			medians.put(Metric.SENT, (double) traced.sentTotal() / this.tracedCycles);
		}
		return new Row(this.entry.contender().title(), medians, this.rounds,
				(traced != null) ? traced.perCycle(this.tracedCycles) : "", this.remarks);
	}

}
