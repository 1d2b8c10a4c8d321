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
 * Contender in a {@link CycleScenario} with its figures.
 */
final class Participant {

	/**
	 * Time for all workers to receive the settings of a round before its start: 100 ms.
	 */
	private static final Duration START_DELAY = Duration.ofMillis(100);

	/** Interval between checks for idle JVMs: 50 ms. */
	private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	/** Limit on the break-in of new JVMs, as a multiple of the warm-up. */
	private static final int BREAK_IN_FACTOR = 8;

	/** Limit on a warm-up, as a multiple of the configured time. */
	private static final int WARM_UP_FACTOR = 4;

	private static final Duration WARM_UP_ROUND = Duration.ofSeconds(1);

	/**
	 * Number of cycles of a break-in. C2 compiles a method after 5,000 calls of the code
	 * that C1 has compiled.
	 */
	private static final int BREAK_IN_CYCLES = 50_000;

	private static final int FEW_COMPILER_MILLIS = 100;

	private static final int CROWD_THREADS = 8;

	private static final int MAX_POLLS = 40;

	/**
	 * Limit on the processor time of an idle process between two checks, which is counted
	 * in units of 10 ms.
	 */
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
	 * Runs unmeasured rounds for a minimum time, until the compilers are idle. Breaks new
	 * JVMs in before.
	 */
	void warmUp(Duration time) {
		guarded(() -> {
			if (this.entry.isNew()) {
				breakIn(time.multipliedBy(BREAK_IN_FACTOR));
				this.entry.used();
			}
			run(this.load, time, 0, time.multipliedBy(WARM_UP_FACTOR));
			settle();
		});
	}

	/**
	 * Breaks new JVMs in. A single JVM runs many threads on separate locks, which make
	 * more cycles in a short time than most loads. Several JVMs run the load itself,
	 * because they interact so rarely that this code is compiled late.
	 */
	private void breakIn(Duration longest) {
		if (this.load.jvms() > 1) {
			run(this.load, longest, 0, longest);
		}
		else {
			run(this.load.crowd(CROWD_THREADS), Duration.ZERO, BREAK_IN_CYCLES, longest);
		}
	}

	/**
	 * Runs rounds until the compilers are idle.
	 * @param least the minimum time
	 * @param leastCycles the minimum number of cycles of every JVM
	 * @param longest the maximum time, which has precedence
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

	/** Runs a measured round. */
	void measure(Duration warmUp) {
		if (this.restless) {
			this.remarks.add(String.format(Locale.ROOT, "restarted before round %d, because it did not become idle",
					this.rounds.size() + 1));
			restart();
			warmUp(warmUp);
		}
		guarded(() -> {
			this.rounds.add(round());
			settle();
		});
	}

	/** Replaces the JVMs by new ones. */
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
	 * Waits until the JVMs are idle, so that they do not disturb the next contender.
	 * Compilers finish within the limit. Any longer activity is caused by the contender.
	 */
	private void settle() {
		this.restless = true;
		for (int i = 0; i < MAX_POLLS && this.restless; i++) {
			Duration before = cpu();
			Pause.of(POLL_INTERVAL);
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

	/** Runs a round in which the commands are traced. */
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
		long start = System.nanoTime() + START_DELAY.toNanos();
		List<WorkerProcess> workers = this.entry.workers();
		for (int i = 0; i < workers.size(); i++) {
			workers.get(i).send(Request.ROUND, order(work, i * work.threads(), start, time));
		}
		return workers.stream().map((worker) -> worker.awaitReply(RoundResult.class)).toList();
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
	 * Returns the share of time in which the lock is in use. Busy work counts with its
	 * configured time, and sleep with its actual time.
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
