package io.lockstarter.benchmarks.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.contender.Setup;
import io.lockstarter.benchmarks.worker.Guards;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * Contender with its own Redis and JVMs.
 */
final class Entry implements AutoCloseable {

	private static final String USED_MEMORY = "used_memory:";

	private final ContenderType contender;

	private final Path javaHome;

	private final Setup setup;

	private final List<RedisServer> servers;

	/** Proxies between the JVMs and the servers, empty without a delay. */
	private final List<TcpProxy> network;

	private final List<RespClient> clients;

	private final Path guardsFile;

	private final Guards guards;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private boolean fresh;

	private boolean failed;

	private Entry(ContenderType contender, Path javaHome, Duration roundTrip, UnaryOperator<Setup> setup) {
		this.contender = contender;
		this.javaHome = javaHome;
		this.servers = Stream.generate(RedisServer::start).limit(contender.servers()).toList();
		this.clients = this.servers.stream().map(RedisServer::connect).toList();
		this.network = roundTrip.isZero() ? List.of()
				: this.servers.stream().map((server) -> delayed(server, roundTrip)).toList();
		List<Integer> ports = (this.network.isEmpty() ? this.servers.stream().map(RedisServer::port)
				: this.network.stream().map(TcpProxy::port))
			.toList();
		this.setup = setup.apply(Setup.of(this.servers.get(0).host(), ports));
		this.guardsFile = temporaryFile();
		this.guards = Guards.map(this.guardsFile);
	}

	private static TcpProxy delayed(RedisServer server, Duration roundTrip) {
		TcpProxy proxy = TcpProxy.to(server);
		proxy.delay(roundTrip.dividedBy(2));
		return proxy;
	}

	private static Path temporaryFile() {
		try {
			return Files.createTempFile("guards", "");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Starts a contender in several JVMs, which are ready after {@link #awaitReady()}.
	 */
	static Entry start(ContenderType contender, int jvms, Path javaHome, Duration roundTrip,
			UnaryOperator<Setup> setup) {
		Entry entry = new Entry(contender, javaHome, roundTrip, setup);
		entry.startWorkers(jvms);
		return entry;
	}

	/** Starts a contender in one JVM of this JDK, and waits until it is ready. */
	static Entry start(ContenderType contender, Duration roundTrip, UnaryOperator<Setup> setup) {
		Entry entry = start(contender, 1, Jdks.current(), roundTrip, setup);
		entry.awaitReady();
		return entry;
	}

	private void startWorkers(int count) {
		this.fresh = true;
		for (int i = 0; i < count; i++) {
			this.workers.add(WorkerProcess.start(this.javaHome, this.contender, this.setup, this.guardsFile));
		}
	}

	/** Waits until the JVMs accept requests. */
	void awaitReady() {
		this.workers.forEach(WorkerProcess::awaitReady);
	}

	/** Replaces all JVMs by new ones. */
	void restart() {
		int count = this.workers.size();
		this.workers.forEach(WorkerProcess::close);
		this.workers.clear();
		startWorkers(count);
		awaitReady();
	}

	/** Returns whether the JVMs have not been used. */
	boolean isNew() {
		return this.fresh;
	}

	/** Marks the JVMs as used. */
	void used() {
		this.fresh = false;
	}

	/** Returns whether the contender has failed. */
	boolean hasFailed() {
		return this.failed;
	}

	/** Marks the contender as failed. */
	void failed() {
		this.failed = true;
	}

	ContenderType contender() {
		return this.contender;
	}

	List<WorkerProcess> workers() {
		return this.workers;
	}

	WorkerProcess worker() {
		return this.workers.get(0);
	}

	Guards guards() {
		return this.guards;
	}

	/** Returns the commands that all servers have run. */
	CommandStats stats() {
		return this.clients.stream()
			.map((client) -> CommandStats.of(client::call))
			.reduce(CommandStats::plus)
			.orElseThrow();
	}

	/** Returns the time that all servers have spent. */
	ServerTime serverTime() {
		return this.clients.stream()
			.map((client) -> ServerTime.of(client::call))
			.reduce(ServerTime::plus)
			.orElseThrow();
	}

	/** Returns the memory of Redis, or of the first server, in bytes. */
	long usedMemory() {
		return String.valueOf(call("INFO", "memory"))
			.lines()
			.filter((line) -> line.startsWith(USED_MEMORY))
			.mapToLong((line) -> Long.parseLong(line.substring(USED_MEMORY.length())))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Returns the number of keys in Redis, or in the first server, without expired ones.
	 */
	long keys() {
		long keys = 0;
		String cursor = "0";
		do {
			// DBSIZE includes expired keys.
			List<?> page = (List<?>) Objects.requireNonNull(call("SCAN", cursor, "COUNT", "10000"));
			cursor = String.valueOf(page.get(0));
			keys += ((List<?>) page.get(1)).size();
		}
		while (!cursor.equals("0"));
		return keys;
	}

	/** Sends a command to Redis, or to the first server. */
	@Nullable Object call(String... command) {
		return this.clients.get(0).call(command);
	}

	/** Opens a new connection to Redis, or to the first server. */
	RespClient connect(Duration timeout) {
		return this.servers.get(0).connect(timeout);
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
		this.clients.forEach(RespClient::close);
		this.network.forEach(TcpProxy::close);
		this.servers.forEach(RedisServer::close);
		try {
			Files.deleteIfExists(this.guardsFile);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
