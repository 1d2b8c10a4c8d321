package io.lockstarter.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockstarter.benchmarks.contender.ContenderType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * What the command line says.
 */
public final class Options {

	@Option(names = "--form", paramLabel = "FORM",
			description = "How thoroughly to measure: ${COMPLETION-CANDIDATES} (by default FULL).")
	private Form form = Form.FULL;

	@Option(names = "--scenarios", split = ",", paramLabel = "ID", description = "Measure these scenarios only.")
	private List<String> scenarios = List.of();

	@Option(names = "--contenders", split = ",", paramLabel = "ID",
			description = "Let these contenders take part only, in every scenario that they can do.")
	private List<String> contenders = List.of();

	@Option(names = "--rounds", paramLabel = "N", description = "Measure this many rounds (by default 5).")
	private int rounds = 5;

	@Option(names = "--round-time", paramLabel = "TIME", converter = DurationConverter.class,
			description = "Length of a round, such as 500ms or 2s.")
	private @Nullable Duration roundTime;

	@Option(names = "--warm-up", paramLabel = "TIME", converter = DurationConverter.class,
			description = "How long each contender runs before it is measured (by default 2s or 5s);"
					+ " up to four times as long while compilers work;"
					+ " new JVMs run for up to eight times as long before that.")
	private @Nullable Duration warmUp;

	@Option(names = "--think-time", paramLabel = "TIME", converter = DurationConverter.class,
			description = "How long a lock is held, such as 100us (by default not at all).")
	private Duration thinkTime = Duration.ZERO;

	@Option(names = "--round-trip", paramLabel = "TIME", converter = DurationConverter.class,
			description = "How much longer a round trip to Redis takes than on this machine, such as 1ms"
					+ " (by default no longer).")
	private Duration roundTrip = Duration.ZERO;

	@Option(names = "--jdk25", paramLabel = "HOME",
			description = "The JDK 21 or newer that runs virtual threads. By default one is looked for.")
	private @Nullable Path virtualThreadsJdk;

	@Option(names = "--output", paramLabel = "FOLDER", description = "Where the report goes (by default target).")
	private Path output = Path.of("target");

	/**
	 * Returns how thoroughly to measure.
	 * @return the form
	 */
	public Form form() {
		return this.form;
	}

	/**
	 * Returns whether a scenario is to be measured.
	 * @param id its name
	 * @return whether it was chosen, or all were
	 */
	public boolean wantsScenario(String id) {
		return this.scenarios.isEmpty() || this.scenarios.contains(id);
	}

	/**
	 * Returns whether a scenario that takes long was asked for.
	 * @param id its name
	 * @return whether it was chosen by its name, or the form is the full one
	 */
	public boolean asksFor(String id) {
		return this.scenarios.contains(id) || (this.form == Form.FULL && this.scenarios.isEmpty());
	}

	/**
	 * Chooses from the contenders that can take part in a scenario.
	 * @param usual those that take part by default; nobody, if the scenario is measured
	 * only when it is asked for by its name
	 * @param able all that can
	 * @return those that take part
	 */
	public List<ContenderType> choose(List<ContenderType> usual, List<ContenderType> able) {
		List<ContenderType> wanted = this.contenders.stream().map(ContenderType::of).toList();
		if (!wanted.isEmpty()) {
			return able.stream().filter(wanted::contains).toList();
		}
		return (usual.isEmpty() && !this.scenarios.isEmpty()) ? able : usual;
	}

	/**
	 * Returns the number of rounds.
	 * @return how often each contender is measured
	 */
	public int rounds() {
		return this.rounds;
	}

	/**
	 * Returns the length of a round.
	 * @param usual the length where nothing else is said
	 * @return the length
	 */
	public Duration roundTime(Duration usual) {
		return (this.roundTime != null) ? this.roundTime : usual;
	}

	/**
	 * Returns how long each contender runs in JVMs that are not new before it is measured.
	 * @return the time
	 */
	public Duration warmUp() {
		return (this.warmUp != null) ? this.warmUp : this.form.pick(Duration.ofSeconds(2), Duration.ofSeconds(5));
	}

	/**
	 * Returns how long locks are held.
	 * @return the time
	 */
	public Duration thinkTime() {
		return this.thinkTime;
	}

	/**
	 * Returns how far away Redis seems to be.
	 * @return how much longer a round trip takes than on this machine
	 */
	public Duration roundTrip() {
		return this.roundTrip;
	}

	/**
	 * Returns whether the targets apply: they are for locks that are not held, of a Redis
	 * on this machine.
	 * @return whether they are to be checked
	 */
	public boolean hasTargets() {
		return this.thinkTime.isZero() && this.roundTrip.isZero();
	}

	/**
	 * Returns the JDK for virtual threads.
	 * @return its home, if one was named
	 */
	public @Nullable Path virtualThreadsJdk() {
		return this.virtualThreadsJdk;
	}

	/**
	 * Returns where the report goes.
	 * @return a folder
	 */
	public Path output() {
		return this.output;
	}

}
