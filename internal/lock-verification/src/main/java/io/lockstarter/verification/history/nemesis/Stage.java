package io.lockstarter.verification.history.nemesis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.lockstarter.testing.RedisReplication;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.TcpProxy;
import io.lockstarter.verification.history.recording.Span;
import io.lockstarter.verification.history.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/**
 * Worker JVMs of a round with their Redis and the network between them. Thread-safe.
 */
public final class Stage implements AutoCloseable {

	private final Scenario scenario;

	private final Path folder;

	private final @Nullable RedisReplication replication;

	private final @Nullable SteppableClock clock;

	private final RedisServer first;

	private final List<TcpProxy> proxies = new ArrayList<>();

	private final List<Instance> instances = new CopyOnWriteArrayList<>();

	private final List<CompletableFuture<?>> starting = new CopyOnWriteArrayList<>();

	private final List<Span> starts = new CopyOnWriteArrayList<>();

	private final List<Integer> numbers = new CopyOnWriteArrayList<>();

	private final Map<Integer, Long> kills = new ConcurrentHashMap<>();

	private final Map<Integer, List<Span>> stops = new ConcurrentHashMap<>();

	/**
	 * Creates a stage, and returns when all JVMs are ready.
	 * @param scenario the topology, JVMs and locks
	 * @param folder the folder for histories
	 */
	public Stage(Scenario scenario, Path folder) {
		this.scenario = scenario;
		this.folder = folder;
		boolean jumps = scenario.topology() == Topology.UNRELIABLE && SteppableClock.isAvailable();
		this.clock = jumps ? SteppableClock.create() : null;
		if (scenario.topology() == Topology.REPLICATED) {
			this.replication = RedisReplication.start(1);
			this.first = this.replication.master();
		}
		else {
			this.replication = null;
			this.first = (this.clock != null) ? RedisServer.startGuarded(this.clock)
					: RedisServer.startGuarded(options());
		}
		try {
			populate();
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Returns the options of the server. The data of a durable server is stored beside
	 * the histories.
	 */
	private String[] options() {
		boolean durable = this.scenario.topology() == Topology.DURABLE;
		return durable ? new String[] { "--appendonly", "yes", "--appendfsync", "always", "--dir",
				this.folder.toAbsolutePath().toString() } : new String[0];
	}

	private void populate() {
		for (int i = 0; i < this.scenario.jvms(); i++) {
			TcpProxy proxy = TcpProxy.to(redis());
			this.proxies.add(proxy);
			delay(proxy, Duration.ZERO, Duration.ZERO);
			launch(proxy);
		}
		awaitStarted();
	}

	/** Delays the traffic of a proxy, in addition to the distance of its JVM. */
	void delay(TcpProxy proxy, Duration requests, Duration replies) {
		Duration distance = this.scenario.distance(this.proxies.indexOf(proxy));
		proxy.delay(distance.plus(requests), distance.plus(replies));
	}

	private void launch(TcpProxy proxy) {
		long begin = System.nanoTime();
		int number = this.numbers.size();
		this.numbers.add(number);
		WorkerOrder order = new WorkerOrder(number, proxy.port(), this.scenario.lease(), this.scenario.leaseOf(number),
				this.scenario.handoverLimit(), this.scenario.keys(), this.scenario.threads(),
				this.scenario.seed() + number, history(number), guards());
		Instance instance = Instance.start(this.scenario.worker(), order, proxy);
		this.starting.add(CompletableFuture.runAsync(() -> {
			instance.awaitReady();
			this.instances.add(instance);
			this.starts.add(new Span(begin, System.nanoTime()));
		}, (task) -> new Thread(task, "start-" + number).start()).whenComplete((nothing, failure) -> {
			if (failure != null) {
				instance.close();
			}
		}));
	}

	/**
	 * Waits until all started JVMs are ready.
	 */
	public void awaitStarted() {
		this.starting.forEach(CompletableFuture::join);
		this.starting.clear();
	}

	/**
	 * Returns the scenario.
	 * @return the scenario
	 */
	public Scenario scenario() {
		return this.scenario;
	}

	/**
	 * Returns the file that all JVMs map.
	 * @return the file with the guarded data
	 */
	public Path guards() {
		return this.folder.resolve("guards");
	}

	/**
	 * Returns the history file of a JVM.
	 * @param jvm the number of the JVM
	 * @return the file
	 */
	public Path history(int jvm) {
		return this.folder.resolve(String.format(Locale.ROOT, "jvm-%d.txt", jvm));
	}

	/**
	 * Returns the numbers of all JVMs, including those that were killed.
	 * @return the numbers
	 */
	public List<Integer> jvms() {
		return List.copyOf(this.numbers);
	}

	/**
	 * Returns the JVMs that were killed.
	 * @return the times by number
	 */
	public Map<Integer, Long> kills() {
		return this.kills;
	}

	/**
	 * Returns the spans in which JVMs were stopped.
	 * @return the spans by number
	 */
	public Map<Integer, List<Span>> stops() {
		return this.stops;
	}

	/**
	 * Returns the spans in which JVMs were starting, which keeps the machine busy.
	 * @return the spans from launch to readiness
	 */
	public List<Span> starts() {
		return this.starts;
	}

	/**
	 * Returns the server that currently has the locks.
	 * @return the server
	 */
	public RedisServer redis() {
		return (this.replication != null) ? this.replication.master() : this.first;
	}

	List<Instance> instances() {
		return List.copyOf(this.instances);
	}

	List<TcpProxy> proxies() {
		return this.proxies;
	}

	/** Returns the clock of the server, if it can be set. */
	@Nullable SteppableClock clock() {
		return this.clock;
	}

	Duration lease() {
		return this.scenario.lease();
	}

	List<String> keys() {
		return this.scenario.keys();
	}

	Instance anyInstance(Random random) {
		while (true) {
			List<Instance> ready = instances();
			if (!ready.isEmpty()) {
				return ready.get(random.nextInt(ready.size()));
			}
			awaitStarted();
		}
	}

	void stopped(Instance instance, Span span) {
		this.stops.computeIfAbsent(instance.number(), (number) -> new CopyOnWriteArrayList<>()).add(span);
	}

	/** Kills a JVM, and starts a new one in its place. */
	void replace(Instance instance) {
		this.instances.remove(instance);
		this.kills.put(instance.number(), System.nanoTime());
		instance.kill();
		launch(instance.proxy());
	}

	/** Promotes a replica that has missed the writes during a pause. */
	void failOver(Runnable pause) {
		RedisReplication redis = Objects.requireNonNull(this.replication);
		RedisServer before = redis.master();
		RedisServer replica = redis.replicas().get(0);
		redis.freeze(replica);
		pause.run();
		before.kill();
		replica.resume();
		redis.promote(replica);
		this.proxies.forEach((proxy) -> proxy.redirect(replica));
		before.restart();
		redis.demote(before);
	}

	@Override
	public void close() {
		this.starting.forEach((start) -> start.exceptionally((failure) -> null).join());
		Stream.of(this.instances, this.proxies).flatMap(List::stream).forEach(Stage::close);
		if (this.replication != null) {
			this.replication.close();
		}
		else {
			this.first.close();
		}
		if (this.clock != null) {
			this.clock.close();
		}
	}

	private static void close(AutoCloseable closeable) {
		try {
			closeable.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
