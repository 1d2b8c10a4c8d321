package io.lockstarter.benchmarks.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.benchmarks.worker.Worker;
import io.lockstarter.benchmarks.worker.Worker.Request;
import io.lockstarter.testing.ChildJvm;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@link Worker} in a JVM of its own, to be asked.
 */
final class WorkerProcess implements AutoCloseable {

	private static final Duration LONGEST_ANSWER = Duration.ofMinutes(3);

	private static final List<String> JVM_OPTIONS = List.of("-Xms256m", "-Xmx1g", "-Djava.awt.headless=true");

	private final JsonMapper json = JsonMapper.shared();

	private final ChildJvm jvm;

	private boolean ready;

	private WorkerProcess(ChildJvm jvm) {
		this.jvm = jvm;
	}

	/** Starts a worker, which is ready after {@link #awaitReady()}. */
	static WorkerProcess start(Path javaHome, ContenderType contender, Setup setup, Path guards) {
		return new WorkerProcess(ChildJvm.start(javaHome, JVM_OPTIONS, Worker.class, contender.id(), setup.host(),
				setup.ports().stream().map(String::valueOf).collect(Collectors.joining(",")),
				String.valueOf(setup.lease().toMillis()), String.valueOf(setup.retention().toMillis()),
				guards.toString()));
	}

	void awaitReady() {
		if (!this.ready) {
			answer(String.class);
			this.ready = true;
		}
	}

	<T> T ask(Request request, Object argument, Class<T> answer) {
		send(request, argument);
		return answer(answer);
	}

	void send(Request request, Object argument) {
		this.jvm.send(request + " " + this.json.writeValueAsString(argument));
	}

	<T> T answer(Class<T> type) {
		String line = this.jvm.awaitLine((text) -> text.startsWith(Worker.ANSWER) || text.startsWith(Worker.FAILURE),
				LONGEST_ANSWER);
		if (line.startsWith(Worker.FAILURE)) {
			throw new IllegalStateException(line);
		}
		return this.json.readValue(line.substring(Worker.ANSWER.length()), type);
	}

	/** The processor time of the process up to now. */
	Duration cpu() {
		return ProcessHandle.of(this.jvm.pid())
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElse(Duration.ZERO);
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
