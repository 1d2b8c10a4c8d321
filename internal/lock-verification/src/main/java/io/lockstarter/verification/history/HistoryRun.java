package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Topology;
import io.lockstarter.verification.history.report.HistoryReport;
import io.lockstarter.verification.history.report.RoundResult;
import io.lockstarter.verification.history.worker.Worker;

import org.springframework.util.FileSystemUtils;

/**
 * Run of consecutive rounds for a given time.
 */
public final class HistoryRun {

	private static final Path MEMORY = Path.of("/dev/shm");

	private static final Duration STRUCK = Duration.ofSeconds(60);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(600);

	private static final Duration CALM = Duration.ofSeconds(11);

	/**
	 * Fault injection time of a soak round, 105 s: each fault occurs repeatedly and
	 * together with others.
	 */
	private static final Duration SOAKED = Duration.ofSeconds(105);

	private static final int SOAKED_JVMS = 3;

	/**
	 * Lease in soak rounds, 12 s. Other JVMs grant it by a message, because it is longer
	 * than 5 s. Its commands have a timeout of two seconds.
	 */
	private static final Duration SOAKED_LEASE = Duration.ofSeconds(12);

	/**
	 * Time without faults at the end of a soak round, which includes the leases of killed
	 * JVMs.
	 */
	private static final Duration SOAKED_CALM = CALM.plus(SOAKED_LEASE);

	/** Additional round-trip time to the server in one of four rounds, 200 ms. */
	private static final Duration ROUND_TRIP = Duration.ofMillis(200);

	/**
	 * Lease in rounds with a slow network, 3 s. Its commands have a timeout of half a
	 * second.
	 */
	private static final Duration FAR_LEASE = Duration.ofSeconds(3);

	/** Time without faults at the end of a round with a slow network. */
	private static final Duration FAR_CALM = CALM.plus(FAR_LEASE.multipliedBy(2));

	/** Topologies, in order of the rounds. Every second one guarantees exclusion. */
	private static final List<Topology> TOPOLOGIES = List.of(Topology.FORGETFUL, Topology.DURABLE, Topology.REPLICATED,
			Topology.DURABLE);

	private final long seed;

	private final Path folder;

	private final Consumer<String> log;

	/**
	 * Creates a run.
	 * @param seed the seed of all random choices
	 * @param folder the folder for reports, and for histories of rounds with violations
	 * @param log receives a line for each round
	 */
	public HistoryRun(long seed, Path folder, Consumer<String> log) {
		this.seed = seed;
		this.folder = folder;
		this.log = log;
	}

	/**
	 * Runs rounds on all topologies, and rewrites the report after each.
	 * @param time the duration, within which at least one round runs
	 * @param command the command that repeats the run
	 * @return the report
	 * @throws IOException if a file cannot be written
	 */
	public HistoryReport run(Duration time, String command) throws IOException {
		return run(time, command, STRUCK, CALM, (number) -> {
			int kind = number % TOPOLOGIES.size();
			Scenario scenario = scenario(TOPOLOGIES.get(kind), number);
			return (kind == TOPOLOGIES.size() - 1) ? scenario.farAway(ROUND_TRIP, FAR_LEASE) : scenario;
		});
	}

	/**
	 * Runs longer rounds with few JVMs on a durable Redis, for which all guarantees
	 * apply, and rewrites the report after each.
	 * @param time the duration, within which at least one round runs
	 * @param command the command that repeats the run
	 * @return the report
	 * @throws IOException if a file cannot be written
	 */
	public HistoryReport soak(Duration time, String command) throws IOException {
		return run(time, command, SOAKED, SOAKED_CALM,
				(number) -> scenario(Topology.DURABLE, number).jvms(SOAKED_JVMS, SOAKED_LEASE));
	}

	private Scenario scenario(Topology topology, int number) {
		return Scenario.choose(topology, this.seed * 1000 + number, Worker.class);
	}

	private HistoryReport run(Duration time, String command, Duration struck, Duration calm,
			IntFunction<Scenario> scenarios) throws IOException {
		HistoryReport report = new HistoryReport(this.seed, command);
		long begin = System.nanoTime();
		int number = 0;
		do {
			Scenario scenario = scenarios.apply(number);
			number++;
			Duration longer = scenario.roundTrip().isZero() ? calm : FAR_CALM;
			RoundResult result = run(new Round(number, scenario, struck, LONGEST_PAUSE, longer), "round-" + number);
			report.add(result);
			report.write(this.folder);
		}
		while (System.nanoTime() - begin < time.toNanos());
		return report;
	}

	private RoundResult run(Round round, String name) throws IOException {
		Path histories = Files.createTempDirectory(memory(), "history-");
		try {
			RoundResult result = round.run(histories);
			this.log.accept(result.toString());
			if (result.figures().violations() > 0) {
				FileSystemUtils.copyRecursively(histories, this.folder.resolve("history").resolve(name));
			}
			return result;
		}
		finally {
			FileSystemUtils.deleteRecursively(histories);
		}
	}

	/**
	 * Returns a folder in memory if possible, so that writing histories does not wait for
	 * the disk that Redis uses.
	 */
	private static Path memory() {
		return Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
	}

}
