package io.lockstarter.verification.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.verification.history.nemesis.Scenario;
import io.lockstarter.verification.history.nemesis.Topology;
import io.lockstarter.verification.history.report.HistoryReport;
import io.lockstarter.verification.history.report.RoundResult;
import io.lockstarter.verification.history.worker.Worker;

import org.springframework.util.FileSystemUtils;

/**
 * Rounds one after the other, until the time is over.
 */
public final class HistoryRun {

	private static final Path MEMORY = Path.of("/dev/shm");

	private static final Duration STRUCK = Duration.ofSeconds(45);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(600);

	private static final Duration CALM = Duration.ofSeconds(11);

	/** Every second round may claim exclusion. */
	private static final List<Topology> TOPOLOGIES = List.of(Topology.DURABLE, Topology.FORGETFUL, Topology.DURABLE,
			Topology.REPLICATED);

	private final long seed;

	private final Path folder;

	private final Consumer<String> log;

	/**
	 * Prepare a run.
	 * @param seed what all choices follow from
	 * @param folder where reports go, and the histories of rounds with violations
	 * @param log is told of each round
	 */
	public HistoryRun(long seed, Path folder, Consumer<String> log) {
		this.seed = seed;
		this.folder = folder;
		this.log = log;
	}

	/**
	 * Run rounds; the report is written anew after each.
	 * @param time for how long, but at least one round
	 * @param command how to repeat this
	 * @return the report
	 * @throws IOException if a file cannot be written
	 */
	public HistoryReport run(Duration time, String command) throws IOException {
		HistoryReport report = new HistoryReport(this.seed, command);
		long begin = System.nanoTime();
		int number = 0;
		do {
			Topology topology = TOPOLOGIES.get(number % TOPOLOGIES.size());
			Scenario scenario = Scenario.choose(topology, this.seed * 1000 + number, Worker.class);
			number++;
			RoundResult result = run(new Round(number, scenario, STRUCK, LONGEST_PAUSE, CALM), "round-" + number);
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

	/** A thread that writes its history is not to wait for the disk that Redis fills. */
	private static Path memory() {
		return Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
	}

}
