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
 * Client of a {@link Worker} in another JVM.
 */
final class WorkerProcess implements AutoCloseable {

	private static final Duration REPLY_TIMEOUT = Duration.ofMinutes(3);

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
			awaitReply(String.class);
			this.ready = true;
		}
	}

	<T> T request(Request request, Object argument, Class<T> reply) {
		send(request, argument);
		return awaitReply(reply);
	}

	void send(Request request, Object argument) {
		this.jvm.send(request + " " + this.json.writeValueAsString(argument));
	}

	<T> T awaitReply(Class<T> type) {
		String line = this.jvm.awaitLine((text) -> text.startsWith(Worker.REPLY) || text.startsWith(Worker.FAILURE),
				REPLY_TIMEOUT);
		if (line.startsWith(Worker.FAILURE)) {
			throw new IllegalStateException(line);
		}
		return this.json.readValue(line.substring(Worker.REPLY.length()), type);
	}

	/** Returns the processor time of the process. */
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
