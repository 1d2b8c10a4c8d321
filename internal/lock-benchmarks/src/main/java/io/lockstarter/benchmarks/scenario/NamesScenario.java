package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.worker.Population;
import io.lockstarter.benchmarks.worker.Visit;
import io.lockstarter.benchmarks.worker.Worker.Request;

/**
 * Scenario that measures what many locks leave behind that were acquired once.
 *
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record NamesScenario(List<ContenderType> shortField, List<ContenderType> fullField) implements Scenario {

	private static final int NAMES = 200_000;

	private static final int FULL_ROUNDS = 3;

	private static final int WARM_UP_NAMES = 10_000;

	private static final Duration RETENTION = Duration.ofSeconds(1);

	/**
	 * Lease of locks, 3 s. Lock Starter keeps a token for the retention after the lease.
	 */
	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration MAX_RETENTION = RETENTION.plus(LEASE).plusSeconds(5);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

	private static final List<Metric> METRICS = List.of(Metric.RETAINED, Metric.KEYS_LEFT);

	private static final double BYTES_PER_MEGABYTE = 1 << 20;

	@Override
	public String id() {
		return "names";
	}

	@Override
	public Outcome run(Options options) {
		List<ContenderType> field = options.choose(options.form().pick(this.shortField, this.fullField),
				this.fullField);
		if (field.isEmpty()) {
			return Outcome.notRun(id(), title(), METRICS);
		}
		List<Row> rows = field.stream()
			.map((contender) -> measure(contender, options.roundTrip(), options.form().pick(1, FULL_ROUNDS)))
			.toList();
		return new Outcome(id(), title(), String.format(Locale.ROOT,
				"One JVM × 8 threads, each name locked once; retention of fencing tokens %d s, lease %d s. Heap after garbage"
						+ " collection less that before; medians of %d rounds with new names each",
				RETENTION.toSeconds(), LEASE.toSeconds(), options.form().pick(1, FULL_ROUNDS)), METRICS, rows);
	}

	private static String title() {
		return String.format(Locale.ROOT, "%,d names", NAMES);
	}

	private static Row measure(ContenderType contender, Duration roundTrip, int rounds) {
		try (Entry entry = Entry.start(contender, roundTrip, NamesScenario::shortLived)) {
			visit(entry, new Visit("warm-up-", WARM_UP_NAMES, Population.THREADS));
			List<Map<Metric, Double>> figures = new ArrayList<>();
			for (int i = 0; i < rounds; i++) {
				long before = heap(entry);
				visit(entry, new Visit("round-" + i + "-", NAMES, Population.THREADS));
				double keysLeft = keysLeft(entry);
				figures.add(Map.of(Metric.RETAINED, (heap(entry) - before) / BYTES_PER_MEGABYTE, Metric.KEYS_LEFT,
						keysLeft));
			}
			return Row.of(contender, figures, List.of());
		}
	}

	private static Setup shortLived(Setup setup) {
		return setup.withLease(LEASE).withRetention(RETENTION);
	}

	private static void visit(Entry entry, Visit visit) {
		entry.worker().request(Request.VISIT, visit, Integer.class);
	}

	private static long heap(Entry entry) {
		return entry.worker().request(Request.HEAP, "", Long.class);
	}

	/**
	 * Waits for the end of the retention, up to a few seconds longer, and returns the
	 * number of keys.
	 */
	private static long keysLeft(Entry entry) {
		long end = System.nanoTime() + MAX_RETENTION.toNanos();
		long keys = entry.keys();
		while (keys > 0 && System.nanoTime() < end) {
			Pause.of(POLL_INTERVAL);
			keys = entry.keys();
		}
		return keys;
	}

}
