package io.lockstarter.verification.history.nemesis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.TcpProxy;
import io.lockstarter.verification.history.worker.Worker;
import io.lockstarter.verification.history.worker.Worker.Request;
import io.lockstarter.verification.history.worker.WorkerOrder;

/**
 * Worker JVM with its own network connection.
 */
final class Instance implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(60);

	private static final List<String> JVM_OPTIONS = List.of("-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
			"-Djava.awt.headless=true");

	private final WorkerOrder order;

	private final TcpProxy proxy;

	private final ChildJvm jvm;

	private Instance(WorkerOrder order, TcpProxy proxy, ChildJvm jvm) {
		this.order = order;
		this.proxy = proxy;
		this.jvm = jvm;
	}

	/** Starts a worker, which is ready after {@link #awaitReady()}. */
	static Instance start(Class<?> main, WorkerOrder order, TcpProxy proxy) {
		return new Instance(order, proxy, ChildJvm.start(JVM_OPTIONS, main, order.arguments()));
	}

	void awaitReady() {
		this.jvm.awaitLine((Worker.REPLY + "ready")::equals, START_TIMEOUT);
	}

	WorkerOrder order() {
		return this.order;
	}

	int number() {
		return this.order.jvm();
	}

	TcpProxy proxy() {
		return this.proxy;
	}

	/** Sends a command to the worker, and returns the reply. */
	String request(Request request) {
		send(request);
		return awaitReply();
	}

	void send(Request request) {
		this.jvm.send(request.name());
	}

	String awaitReply() {
		String line = this.jvm.awaitLine((text) -> text.startsWith(Worker.REPLY), REPLY_TIMEOUT)
			.substring(Worker.REPLY.length());
		if (line.startsWith("failed")) {
			throw new IllegalStateException(String.format(Locale.ROOT, "JVM %d %s", number(), line));
		}
		return line.substring(line.indexOf(' ') + 1);
	}

	void stop() {
		this.jvm.stop();
	}

	void resume() {
		this.jvm.resume();
	}

	void kill() {
		this.jvm.kill();
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
