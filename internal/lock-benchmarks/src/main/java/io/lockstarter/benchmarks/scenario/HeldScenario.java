package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.worker.Population;
import io.lockstarter.benchmarks.worker.Usage;
import io.lockstarter.benchmarks.worker.Visit;
import io.lockstarter.benchmarks.worker.Worker.Request;
import io.lockstarter.testing.CommandStats;

/**
 * Scenario that measures the cost of many held locks that are renewed.
 *
 * @param id the name in options
 * @param locks the number of held locks
 * @param visits the number of times each lock is acquired and released before
 * @param shortPlan the times in the short form
 * @param fullPlan the times in the full form
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record HeldScenario(String id, int locks, int visits, Plan shortPlan, Plan fullPlan, List<ContenderType> shortField,
		List<ContenderType> fullField) implements Scenario {

	private static final int KEYS_AT_ONCE = 1000;

	private static final int FEW = 1000;

	/** Number of windows before the measurement, enough for the compilers. */
	private static final int WARM_UP_WINDOWS = 3;

	/** Processor time, as part of one core, of a thread that counts as busy. */
	private static final double BUSY = 0.001;

	private static final List<Metric> METRICS = List.of(Metric.LOST, Metric.CORES, Metric.SCRIPTS_PER_SECOND,
			Metric.COMMANDS_PER_SECOND, Metric.THREADS, Metric.BUSY_THREADS, Metric.HEAP_PER_LOCK,
			Metric.REDIS_PER_LOCK);

	@Override
	public Outcome run(Options options) {
		List<ContenderType> field = options.choose(options.form().pick(this.shortField, this.fullField),
				this.fullField);
		if (field.isEmpty()) {
			return Outcome.notRun(this.id, title(), METRICS);
		}
		Plan plan = options.form().pick(this.shortPlan, this.fullPlan);
		List<Entry> entries = new ArrayList<>();
		try {
			for (ContenderType contender : field) {
				entries.add(Entry.start(contender, options.roundTrip(), (setup) -> setup.withLease(plan.lease())));
			}
			List<Holding> holdings = entries.stream().map(Holding::new).toList();
			holdings.forEach((holding) -> holding.take(this.locks, this.visits));
			Pause.of(plan.window().multipliedBy(WARM_UP_WINDOWS));
			for (int i = 0; i < plan.windows(); i++) {
				holdings.forEach(Holding::open);
				Pause.of(plan.window());
				holdings.forEach(Holding::close);
			}
			return new Outcome(this.id, title(), String.format(Locale.ROOT,
					"One JVM; lease %d s, all contenders at the same time; medians of %d spans of %.1f s, in each of which every lock is due for renewal once, after %d that do not count",
					plan.lease().toSeconds(), plan.windows(), plan.window().toMillis() / 1e3, WARM_UP_WINDOWS), METRICS,
					holdings.stream().map((holding) -> holding.row(this.locks, this.visits == 0)).toList());
		}
		finally {
			entries.forEach(Entry::close);
		}
	}

	private String title() {
		String held = String.format(Locale.ROOT, "%,d renewed locks held", this.locks);
		return (this.visits == 0) ? held
				: held + String.format(Locale.ROOT, ", each taken and released %d times just before", this.visits);
	}

	/**
	 * Times of a measurement.
	 *
	 * @param lease the lease of locks
	 * @param windows the number of measured windows of a third of the lease
	 */
	record Plan(Duration lease, int windows) {

		Duration window() {
			return this.lease.dividedBy(3);
		}

	}

	/**
	 * Contender that holds locks.
	 */
	private static final class Holding {

		private final Entry entry;

		private final List<Map<Metric, Double>> windows = new ArrayList<>();

		private final List<String> remarks = new ArrayList<>();

		/** Figures that are the same in all windows. */
		private final Map<Metric, Double> memory = new EnumMap<>(Metric.class);

		private Usage usage = new Usage(0, 0, Map.of());

		private CommandStats commands = new CommandStats(Map.of());

		private Holding(Entry entry) {
			this.entry = entry;
		}

		void take(int locks, int visits) {
			for (int i = 0; i < visits; i++) {
				this.entry.worker()
					.request(Request.VISIT, new Visit(Population.NAMES, locks, Population.THREADS), Integer.class);
			}
			// The first locks load classes.
			this.entry.worker().request(Request.VISIT, new Visit("warm-up-", FEW, Population.THREADS), Integer.class);
			long heap = this.entry.worker().request(Request.HEAP, "", Long.class);
			long used = this.entry.usedMemory();
			this.entry.worker().request(Request.HOLD, locks, Integer.class);
			this.memory.put(Metric.REDIS_PER_LOCK, (this.entry.usedMemory() - used) / (double) locks);
			this.memory.put(Metric.HEAP_PER_LOCK,
					(this.entry.worker().request(Request.HEAP, "", Long.class) - heap) / (double) locks);
		}

		void open() {
			this.usage = usage();
			this.commands = this.entry.stats();
		}

		void close() {
			Usage now = usage();
			CommandStats spent = this.entry.stats().minus(this.commands);
			double nanos = now.nanoTime() - this.usage.nanoTime();
			double seconds = nanos / 1e9;
			List<String> busy = busyThreads(now, nanos);
			this.remarks.clear();
			this.remarks.add("busy threads of the library at the end: " + busy);
			this.windows.add(Map.of(Metric.CORES, (now.cpuNanos() - this.usage.cpuNanos()) / nanos,
					Metric.SCRIPTS_PER_SECOND, (spent.calls("evalsha") + spent.calls("eval")) / seconds,
					Metric.COMMANDS_PER_SECOND, spent.total() / seconds, Metric.THREADS, (double) now.threads().size(),
					Metric.BUSY_THREADS, (double) busy.size()));
		}

		private Usage usage() {
			return this.entry.worker().request(Request.USAGE, "", Usage.class);
		}

		private List<String> busyThreads(Usage now, double nanos) {
			return now.threads()
				.entrySet()
				.stream()
				.filter((thread) -> thread.getKey().startsWith(this.entry.contender().threadPrefix()))
				.filter((thread) -> thread.getValue() - this.usage.threads().getOrDefault(thread.getKey(), 0L) > BUSY
						* nanos)
				.map(Map.Entry::getKey)
				.toList();
		}

		/**
		 * Counts the locks that are still held.
		 * @param checksLibrary whether to check with the library as well, which takes
		 * minutes if remaining timers keep its connections busy
		 */
		Row row(int locks, boolean checksLibrary) {
			long inRedis = countInRedis(locks);
			long byLibrary = checksLibrary ? this.entry.worker().request(Request.COUNT_HELD, "", Long.class) : inRedis;
			if (inRedis != byLibrary) {
				this.remarks.add(String.format(Locale.ROOT, "%,d are in Redis, %,d are held according to the library",
						inRedis, byLibrary));
			}
			double lost = locks - Math.min(inRedis, byLibrary);
			this.memory.put(Metric.LOST, lost);
			this.windows.replaceAll(this::withMemory);
			return Row.of(this.entry.contender(), this.windows, this.remarks);
		}

		private Map<Metric, Double> withMemory(Map<Metric, Double> figures) {
			Map<Metric, Double> copy = new EnumMap<>(figures);
			copy.putAll(this.memory);
			return copy;
		}

		private long countInRedis(int locks) {
			String first = this.entry.worker().request(Request.REDIS_KEY, Population.NAMES + 0, String.class);
			long found = 0;
			for (int i = 0; i < locks; i += KEYS_AT_ONCE) {
				Stream<String> keys = IntStream.range(i, Math.min(locks, i + KEYS_AT_ONCE))
					.mapToObj((lock) -> first.replace(Population.NAMES + 0, Population.NAMES + lock));
				String[] command = Stream.concat(Stream.of("EXISTS"), keys).toArray(String[]::new);
				found += Long.parseLong(String.valueOf(this.entry.call(command)));
			}
			return found;
		}

	}

}
