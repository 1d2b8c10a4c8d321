package io.lockstarter.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockstarter.benchmarks.contender.ContenderType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Command line options.
 */
public final class Options {

	@Option(names = "--form", paramLabel = "FORM",
			description = "Form of the run: ${COMPLETION-CANDIDATES} (by default FULL).")
	private Form form = Form.FULL;

	@Option(names = "--scenarios", split = ",", paramLabel = "ID", description = "Measure these scenarios only.")
	private List<String> scenarios = List.of();

	@Option(names = "--contenders", split = ",", paramLabel = "ID",
			description = "Measure these contenders only, in every scenario that they support.")
	private List<String> contenders = List.of();

	@Option(names = "--rounds", paramLabel = "N", description = "Measure this many rounds (by default 5).")
	private int rounds = 5;

	@Option(names = "--round-time", paramLabel = "TIME", converter = DurationConverter.class,
			description = "Length of a round, such as 500ms or 2s.")
	private @Nullable Duration roundTime;

	@Option(names = "--warm-up", paramLabel = "TIME", converter = DurationConverter.class,
			description = "Warm-up of each contender (by default 2s or 5s);"
					+ " up to four times as long while compilers work;"
					+ " new JVMs run for up to eight times as long before that.")
	private @Nullable Duration warmUp;

	@Option(names = "--think-time", paramLabel = "TIME", converter = DurationConverter.class,
			description = "Hold time of a lock, such as 100us (by default none).")
	private Duration thinkTime = Duration.ZERO;

	@Option(names = "--round-trip", paramLabel = "TIME", converter = DurationConverter.class,
			description = "Additional round-trip time to Redis, such as 1ms" + " (by default none).")
	private Duration roundTrip = Duration.ZERO;

	@Option(names = "--jdk25", paramLabel = "HOME",
			description = "JDK 21 or newer for virtual threads, 25 or newer for AOT caches"
					+ " (by default an installed one).")
	private @Nullable Path newerJdk;

	@Option(names = "--output", paramLabel = "FOLDER", description = "Folder of the report (by default target).")
	private Path output = Path.of("target");

	/**
	 * Returns the form of the run.
	 * @return the form
	 */
	public Form form() {
		return this.form;
	}

	/**
	 * Returns whether a scenario is selected.
	 * @param id the name of the scenario
	 * @return {@code true} if this scenario is selected by name, or none is
	 */
	public boolean includesScenario(String id) {
		return this.scenarios.isEmpty() || this.scenarios.contains(id);
	}

	/**
	 * Returns whether a slow scenario is selected.
	 * @param id the name of the scenario
	 * @return {@code true} if this scenario is selected by name, or the form is the full
	 * one
	 */
	public boolean selects(String id) {
		return this.scenarios.contains(id) || (this.form == Form.FULL && this.scenarios.isEmpty());
	}

	/**
	 * Chooses the contenders in a scenario.
	 * @param usual the contenders by default; empty if the scenario is measured only when
	 * it is selected by name
	 * @param able all contenders that support the scenario
	 * @return the chosen contenders
	 */
	public List<ContenderType> choose(List<ContenderType> usual, List<ContenderType> able) {
		List<ContenderType> selected = this.contenders.stream().map(ContenderType::of).toList();
		if (!selected.isEmpty()) {
			return able.stream().filter(selected::contains).toList();
		}
		return (usual.isEmpty() && !this.scenarios.isEmpty()) ? able : usual;
	}

	/**
	 * Returns the number of rounds.
	 * @return the number of measurements of each contender
	 */
	public int rounds() {
		return this.rounds;
	}

	/**
	 * Returns the length of a round.
	 * @param usual the default length
	 * @return the length
	 */
	public Duration roundTime(Duration usual) {
		return (this.roundTime != null) ? this.roundTime : usual;
	}

	/**
	 * Returns the warm-up of a contender in JVMs that are not new.
	 * @return the time
	 */
	public Duration warmUp() {
		return (this.warmUp != null) ? this.warmUp : this.form.pick(Duration.ofSeconds(2), Duration.ofSeconds(5));
	}

	/**
	 * Returns the hold time of locks.
	 * @return the time
	 */
	public Duration thinkTime() {
		return this.thinkTime;
	}

	/**
	 * Returns the additional round-trip time to Redis.
	 * @return the time
	 */
	public Duration roundTrip() {
		return this.roundTrip;
	}

	/**
	 * Returns whether the targets apply, which require no hold time and no additional
	 * round-trip time.
	 * @return {@code true} if the targets apply
	 */
	public boolean hasTargets() {
		return this.thinkTime.isZero() && this.roundTrip.isZero();
	}

	/**
	 * Returns the JDK for virtual threads and AOT caches.
	 * @return the home of the JDK, or {@code null} if none is given
	 */
	public @Nullable Path newerJdk() {
		return this.newerJdk;
	}

	/**
	 * Returns the folder of the report.
	 * @return the folder
	 */
	public Path output() {
		return this.output;
	}

}
