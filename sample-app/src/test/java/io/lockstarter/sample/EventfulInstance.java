package io.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.dashboard.DashboardAutoConfiguration;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisNodes;
import io.lockstarter.testing.RedisServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.springframework.context.PayloadApplicationEvent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A running instance to whose locks everything has happened that can happen, with all
 * that it told.
 */
final class EventfulInstance implements AutoCloseable {

	/** What the instance is asked. */
	enum Question {

		ALL_LOCKS, ONE_LOCK, ALL_LOCKS_OF_ALL, ONE_LOCK_OF_ALL, FORCE_RELEASE, HEALTH

	}

	private static final LockRequest REQUEST = LockRequest.of("ops");

	/** How long a lock lasts that cannot be renewed, on a busy machine as well. */
	private static final Duration TIME_TO_SEE = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String SAMPLES_OF_LOSSES = "distributed_lock_lost_total";

	private static final String SAMPLES_OF_FENCE = "distributed_lock_fenced_total";

	private static final String SAMPLES_OF_RENEWALS = "distributed_lock_renewals_total";

	private final Path directory;

	private final RedisServer redis;

	private final Instance instance;

	private final LockRegistry locks;

	private final Map<Question, List<Map<String, Object>>> answers = new ConcurrentHashMap<>();

	private final Queue<Object> events = new ConcurrentLinkedQueue<>();

	private final Queue<Observation.Context> observations = new ConcurrentLinkedQueue<>();

	private final List<RecordedEvent> recorded = new ArrayList<>();

	private EventfulInstance(RedisServer redis, Path directory) {
		this.directory = directory;
		this.redis = redis;
		this.instance = start("--distributed-lock.max-hold-time=4s", "--distributed-lock.endpoint.force-release=true",
				"--distributed-lock.fence.initialize-schema=always", "--management.endpoint.locks.access=unrestricted",
				"--management.metrics.distribution.percentiles-histogram.distributed.lock=true");
		this.locks = this.instance.bean(LockRegistry.class);
	}

	static EventfulInstance start(Path directory) throws InterruptedException {
		EventfulInstance instance = new EventfulInstance(RedisServer.start(), directory);
		CompletableFuture<?> quorum = CompletableFuture.runAsync(instance::askAQuorum);
		try {
			instance.seeEverything();
			quorum.join();
			return instance;
		}
		catch (Throwable ex) {
			instance.close();
			throw ex;
		}
	}

	private Instance start(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("--distributed-lock.lease-time=2s");
		// It subscribes at the start, before a request waits
		all.add("--spring.autoconfigure.exclude=" + DashboardAutoConfiguration.class.getName());
		return Instance.start("eventful", this.redis.port(), this.directory, all.toArray(String[]::new));
	}

	/** What it tells Prometheus. */
	String scrape() {
		return this.instance.text("/actuator/prometheus");
	}

	/** All answers to a question, which was asked at different times. */
	List<Map<String, Object>> answers(Question question) {
		return List.copyOf(this.answers.get(question));
	}

	/** The meters of locks. */
	List<Meter> meters() {
		return this.instance.bean(MeterRegistry.class)
			.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().startsWith("distributed.lock"))
			.toList();
	}

	/** The observations of locks, each completed. */
	List<Observation.Context> observations() {
		return this.observations.stream()
			.filter((context) -> context.getName().startsWith("distributed.lock"))
			.toList();
	}

	/** The application's events of a type, which may be that of their payload. */
	<E> List<E> events(Class<E> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	/** The events of locks in the JDK's Flight Recorder. */
	List<RecordedEvent> recorded() {
		return List.copyOf(this.recorded);
	}

	private void seeEverything() throws InterruptedException {
		this.instance.hear((event) -> this.events
			.add((event instanceof PayloadApplicationEvent<?> wrapper) ? wrapper.getPayload() : event));
		this.instance.bean(ObservationRegistry.class).observationConfig().observationHandler(new Witness());
		try (Recording recording = new Recording()) {
			recording.enable("io.lockstarter.LockWait").withoutThreshold();
			recording.enable("io.lockstarter.LockHold").withoutThreshold();
			recording.start();
			ask(Question.HEALTH);
			waitForOneAnother();
			handOver();
			loseOneByAnOutage();
			LockHandle endless = take(LockRequest.of("endless"));
			takeAwayByForce();
			deleteTheKey();
			loseOneByTheEndOfItsOwner();
			letTheDatabaseDecide();
			holdEveryType();
			listLocksAmongOtherKeys();
			awaitLoss("max_hold_time");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(endless::close);
			loseTheSubscription();
			closeTheRegistry();
			readEventsOf(recording);
		}
	}

	private void waitForOneAnother() {
		LockHandle first = take(REQUEST);
		CompletableFuture<LockHandle> second = this.locks.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> third = this.locks.acquireAsync(REQUEST);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> take(REQUEST.waitTime(Duration.ZERO)));
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> take(REQUEST.waitTime(Duration.ofMillis(1))));
		ask(Question.ALL_LOCKS);
		ask(Question.ONE_LOCK);
		ask(Question.ONE_LOCK_OF_ALL);
		third.cancel(true);
		first.close();
		LockHandle held = second.join();
		awaitSample(SAMPLES_OF_RENEWALS, "outcome=\"renewed\"");
		held.close();
	}

	/** Not the first time perhaps: on a busy machine most of the lease may be over. */
	private void handOver() {
		await().until(() -> {
			LockHandle first = take(REQUEST);
			CompletableFuture<LockHandle> second = this.locks.acquireAsync(REQUEST);
			first.close();
			second.join().close();
			return scrape().contains("distributed_lock_handovers_total");
		});
	}

	private void loseOneByAnOutage() {
		LockHandle held = take(REQUEST);
		held.extend(TIME_TO_SEE);
		this.redis.cli("ACL", "SETUSER", "default", "-evalsha", "-eval", "-publish");
		awaitAnswer(Question.ALL_LOCKS, (answer) -> answer.contains("watchdog=failing"));
		awaitSample(SAMPLES_OF_RENEWALS, "outcome=\"failed\"");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> take(LockRequest.of("other")));
		ask(Question.HEALTH);
		awaitLoss("lease_expired");
		this.redis.cli("ACL", "SETUSER", "default", "+evalsha", "+eval", "+publish");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	private void takeAwayByForce() {
		LockHandle held = take(REQUEST);
		ask(Question.FORCE_RELEASE);
		awaitLoss("force_released");
		ask(Question.FORCE_RELEASE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	private void deleteTheKey() {
		LockHandle held = take(REQUEST);
		this.redis.cli("DEL", "lock:{" + REQUEST.name() + "}");
		awaitLoss("not_owned");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	private void loseOneByTheEndOfItsOwner() {
		CompletableFuture
			.runAsync(() -> take(LockRequest.of("orphan").owner(LockOwner.currentThread())).extend(TIME_TO_SEE),
					(task) -> new Thread(task).start())
			.join();
		awaitAnswer(Question.ALL_LOCKS, (answer) -> answer.contains("watchdog=stopped"));
		awaitLoss("owner_ended");
	}

	/** What is committed, what is refused before the commit, and what is not begun. */
	private void letTheDatabaseDecide() throws InterruptedException {
		JdbcClient jdbc = this.instance.bean(JdbcClient.class);
		LockRequest fenced = REQUEST.fenced();
		for (String next : List.of("token", "token + 1", Long.toString(Long.MAX_VALUE))) {
			try {
				this.locks.execute(fenced,
						() -> this.instance.bean(TransactionTemplate.class)
							.executeWithoutResult((status) -> CompletableFuture
								.runAsync(() -> jdbc.sql("UPDATE lock_fence SET token = " + next).update())
								.join()));
				assertThat(next).isEqualTo("token");
			}
			catch (StaleTokenException ex) {
				assertThat(next).isNotEqualTo("token");
			}
		}
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.locks.execute(fenced, () -> assertThat(true).isFalse()));
		awaitSample(SAMPLES_OF_FENCE, "outcome=\"stale\"");
		awaitAnswer(Question.ALL_LOCKS, (answer) -> answer.contains("stage=registration"));
		ask(Question.ONE_LOCK);
	}

	/** Of each type one that is held with a fixed lease, and one that waits for it. */
	private void holdEveryType() {
		take(LockRequest.of("permits").permits(2)).close();
		for (LockType type : LockType.values()) {
			LockRequest request = LockRequest.of(type.tag()).type(type);
			LockHandle other = take(LockRequest.of(type.tag()));
			CompletableFuture<LockHandle> waiting = this.locks.acquireAsync(request.leaseTime(Duration.ofSeconds(5)));
			ask(Question.ALL_LOCKS);
			other.close();
			LockHandle held = waiting.join();
			ask(Question.ALL_LOCKS);
			held.close();
		}
	}

	/** So many that they are not on the same page. */
	private void listLocksAmongOtherKeys() {
		List<LockHandle> held = IntStream.range(0, 20)
			.mapToObj((i) -> take(LockRequest.of("one of many:" + i)))
			.toList();
		List<CompletableFuture<LockHandle>> waiting = held.stream()
			.map((lock) -> this.locks.acquireAsync(LockRequest.of(lock.name())))
			.toList();
		this.redis.cli("EVAL", "for i = 1, 2000 do redis.call('SET', 'another key ' .. i, '') end", "0");
		LockMonitor monitor = this.instance.bean(LockMonitor.class);
		await().atMost(PATIENCE).until(() -> monitor.inspect(held.get(0).name()).join().waiting() == 1);
		ask(Question.ALL_LOCKS_OF_ALL);
		this.redis.cli("ACL", "SETUSER", "default", "-scan");
		ask(Question.ALL_LOCKS_OF_ALL);
		this.redis.cli("ACL", "SETUSER", "default", "+scan");
		held.forEach(LockHandle::close);
		waiting.forEach((request) -> request.join().close());
	}

	private void loseTheSubscription() {
		awaitAnswer(Question.HEALTH, (answer) -> answer.contains("subscription=up"));
		this.redis.cli("ACL", "SETUSER", "default", "-subscribe");
		this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
		awaitAnswer(Question.HEALTH, (answer) -> answer.contains("subscription=down"));
		this.redis.cli("ACL", "SETUSER", "default", "+subscribe");
	}

	/** As at the end of the application, which could not be asked after it. */
	private void closeTheRegistry() throws InterruptedException {
		LockHandle held = take(REQUEST);
		CompletableFuture<LockHandle> waiting = this.locks.acquireAsync(REQUEST);
		this.instance.bean(DefaultLockRegistry.class).shutdown(Duration.ZERO);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(waiting::join)
			.withCauseInstanceOf(LockRegistryClosedException.class);
		held.close();
	}

	/** Ask another instance, which has its locks in several servers, how it is. */
	private void askAQuorum() {
		try (RedisNodes quorum = RedisNodes.start(3);
				Instance another = start("--distributed-lock.quorum.nodes="
						+ String.join(",", quorum.all().stream().map(RedisServer::uri).toList()))) {
			await().atMost(PATIENCE).until(() -> !ask(another, Question.HEALTH).contains("error="));
		}
	}

	private LockHandle take(LockRequest request) {
		return this.locks.acquireAsync(request).join();
	}

	private String ask(Question question) {
		return ask(this.instance, question);
	}

	private String ask(Instance instance, Question question) {
		Map<String, Object> answer = switch (question) {
			case ALL_LOCKS -> instance.get("/actuator/locks");
			case ONE_LOCK -> instance.get("/actuator/locks/" + REQUEST.name());
			case ALL_LOCKS_OF_ALL -> instance.get("/actuator/locks?scope=cluster&limit=1");
			case ONE_LOCK_OF_ALL -> instance.get("/actuator/locks/" + REQUEST.name() + "?scope=cluster");
			case FORCE_RELEASE -> instance.delete("/actuator/locks/" + REQUEST.name());
			case HEALTH -> part(instance.get("/actuator/health"), "components", "distributedLock", "details");
		};
		this.answers.computeIfAbsent(question, (key) -> new CopyOnWriteArrayList<>()).add(answer);
		return answer.toString();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> part(Map<String, Object> answer, String... path) {
		Map<String, Object> part = answer;
		for (String step : path) {
			part = (Map<String, Object>) part.get(step);
		}
		return part;
	}

	private void awaitAnswer(Question question, Predicate<String> wanted) {
		await().atMost(PATIENCE).until(() -> wanted.test(ask(question)));
	}

	private void awaitLoss(String reason) {
		awaitSample(SAMPLES_OF_LOSSES, "reason=\"" + reason + "\"");
	}

	/** Until something is counted: such counters begin at zero. */
	private void awaitSample(String series, String label) {
		await().atMost(PATIENCE)
			.until(() -> scrape().lines()
				.anyMatch((line) -> line.startsWith(series + "{") && line.contains(label) && !line.endsWith(" 0.0")));
	}

	private void readEventsOf(Recording recording) {
		Path file = this.directory.resolve("locks.jfr");
		try {
			recording.dump(file);
			RecordingFile.readAllEvents(file)
				.stream()
				.filter((event) -> event.getEventType().getName().startsWith("io.lockstarter."))
				.forEach(this.recorded::add);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.instance.close();
		this.redis.close();
	}

	/**
	 * Sees all observations that are completed.
	 */
	private final class Witness implements ObservationHandler<Observation.Context> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStop(Observation.Context context) {
			EventfulInstance.this.observations.add(context);
		}

	}

}
