package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import io.lockstarter.benchmarks.start.FirstCall;
import io.lockstarter.benchmarks.start.LockApplication;
import io.lockstarter.benchmarks.start.RedisApplication;
import io.lockstarter.benchmarks.start.RedissonApplication;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;

/**
 * Scenario that measures the start and the first call of a small web application.
 *
 * @param starts the number of starts of each application
 */
record StartScenario(int starts) implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.READY, Metric.FIRST_CALL, Metric.FIRST_CALL_CPU,
			Metric.CLASSES, Metric.THREADS_READY, Metric.THREADS_CALLED, Metric.IDLE_COMMANDS, Metric.ADDED_JARS);

	private static final String TITLE = "Start and first call of a web application";

	private static final Duration LONGEST_START = Duration.ofMinutes(2);

	/** Time for commands after the start, such as those for a line in the log: 3 s. */
	private static final Duration AFTERMATH = Duration.ofSeconds(3);

	private static final Duration IDLE = Duration.ofSeconds(5);

	private static final double NANOS_PER_MILLI = 1e6;

	private static final double BYTES_PER_MEGABYTE = 1e6;

	@Override
	public String id() {
		return "start";
	}

	@Override
	public Outcome run(Options options) {
		if (!options.selects(id())) {
			return Outcome.notRun(id(), TITLE, METRICS);
		}
		List<Candidate> candidates = List.of(candidate(Outcome.WITHOUT_LOCKS, RedisApplication.class),
				candidate(ContenderType.OURS.title(), LockApplication.class, "lock-starter"),
				candidate(ContenderType.REDISSON.title(), RedissonApplication.class, "redisson-spring-boot-starter"));
		try (RedisServer redis = RedisServer.start(); RespClient client = redis.connect()) {
			for (int i = 0; i < this.starts; i++) {
				boolean last = i == this.starts - 1;
				candidates.forEach((candidate) -> candidate.start(redis, client, last));
			}
		}
		return new Outcome(id(), TITLE, String.format(Locale.ROOT,
				"Spring MVC on Tomcat and Spring Data Redis, alone, with Lock Starter, and with Redisson's starter. From the start"
						+ " of the JVM until a call is done, which sends one command, or takes and releases a lock; medians of %d starts"
						+ " in turns. Idle are the %d s that begin %d s after the last call",
				this.starts, IDLE.toSeconds(), AFTERMATH.toSeconds()), METRICS,
				candidates.stream().map((candidate) -> candidate.row(candidates.get(0).classPath())).toList());
	}

	private static Candidate candidate(String label, Class<?> application, String... more) {
		List<String> artifacts = new ArrayList<>(
				List.of("spring-boot-starter-webmvc", "spring-boot-starter-data-redis"));
		artifacts.addAll(List.of(more));
		return new Candidate(label, application, ClassPath.of(artifacts.toArray(String[]::new)), new ArrayList<>());
	}

	/**
	 * Application that is started repeatedly.
	 */
	private record Candidate(String label, Class<?> application, ClassPath classPath,
			List<Map<Metric, Double>> starts) {

		void start(RedisServer redis, RespClient client, boolean idle) {
			long begun = System.nanoTime();
			try (ChildJvm jvm = ChildJvm.start(List.of("-classpath", this.classPath.with(this.application).toString()),
					this.application, "--server.port=0", "--spring.data.redis.host=" + redis.host(),
					"--spring.data.redis.port=" + redis.port())) {
				FirstCall call = FirstCall.read(jvm.awaitLine(FirstCall::isIn, LONGEST_START));
				Map<Metric, Double> figures = new EnumMap<>(
						Map.of(Metric.READY, (call.readyNanos() - begun) / NANOS_PER_MILLI, Metric.FIRST_CALL,
								(call.doneNanos() - begun) / NANOS_PER_MILLI, Metric.FIRST_CALL_CPU,
								call.cpuNanos() / NANOS_PER_MILLI, Metric.CLASSES, (double) call.classes(),
								Metric.THREADS_READY, (double) call.threadsReady(), Metric.THREADS_CALLED,
								(double) call.threadsCalled()));
				if (idle) {
					figures.put(Metric.IDLE_COMMANDS, (double) idleCommands(client));
				}
				this.starts.add(figures);
			}
		}

		private static long idleCommands(RespClient client) {
			Pause.of(AFTERMATH);
			CommandStats before = CommandStats.of(client::call);
			Pause.of(IDLE);
			return CommandStats.of(client::call).minus(before).total();
		}

		Row row(ClassPath base) {
			ClassPath added = this.classPath.beyond(base);
			this.starts.forEach((start) -> start.put(Metric.ADDED_JARS, added.bytes() / BYTES_PER_MEGABYTE));
			List<String> remarks = added.entries().isEmpty() ? List.of()
					: List.of("added: " + String.join(", ", added.names()));
			return new Row(this.label, Statistics.medians(this.starts), this.starts, "", remarks);
		}

	}

}
