package io.lockstarter.application;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for many reactive pipelines that want locks of Redis at once.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReactiveLoadTests {

	private static final int SUBSCRIPTIONS = 1000;

	private static final int SOME_SUBSCRIPTIONS = 200;

	private static final int KEYS = 10;

	/** What a thread that serves many must not do. Sockets are read without waiting. */
	private static final Set<String> BLOCKING = Set.of("jdk.ThreadPark", "jdk.ThreadSleep", "jdk.JavaMonitorWait");

	/** The threads that serve many: Reactor's and those of the Redis client. */
	private static final Pattern EVENT_LOOPS = Pattern.compile("(parallel|lettuce|reactor|multiThreadIoEventLoop).*");

	/**
	 * Where such a thread waits for its next task, or for another one that takes from the
	 * same queue of the JDK or the same memory of Netty, or closes the same socket, or
	 * has the JDK start a thread, or for the few instructions in which Lettuce counts who
	 * writes to a connection.
	 */
	private static final List<String> HARMLESS = List.of("java.util.concurrent.ThreadPoolExecutor.getTask",
			"java.util.concurrent.ThreadPoolExecutor.addWorker",
			"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.",
			"io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
			"io.netty.util.HashedWheelTimer$Worker.waitForNextTick", "io.netty.buffer.", "sun.nio.ch.",
			"io.lettuce.core.protocol.SharedLock.incrementWriters");

	/** What other tests of this JVM have left. */
	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	private final RedisServer redis = RedisServer.startGuarded();

	private final Application one = new Application(this.redis, List.of(Service.class),
			"distributed-lock.wait-time=1m");

	private final Application other = new Application(this.redis, List.of(Service.class),
			"distributed-lock.wait-time=1m");

	private final Overlaps overlaps = new Overlaps();

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void subscriptionsBlockNoEventLoop() throws Exception {
		subscribeWithoutBlocking(SOME_SUBSCRIPTIONS);
	}

	@Test
	@Tag("stress")
	void manySubscriptionsBlockNoEventLoop() throws Exception {
		subscribeWithoutBlocking(SUBSCRIPTIONS);
		StressSummary.HOLDS_CHECKED.add(SUBSCRIPTIONS);
	}

	private void subscribeWithoutBlocking(int subscriptions) throws Exception {
		subscribe(50);
		List<String> blocked = eventLoopsBlockedDuring(() -> subscribe(subscriptions));
		assertThat(this.overlaps.seen()).isZero();
		assertThat(this.overlaps.runs()).isEqualTo(subscriptions + 50);
		assertThat(blocked).as("threads that waited").isEmpty();
		nothingIsLeft();
	}

	private void subscribe(int times) throws Exception {
		CountDownLatch done = new CountDownLatch(times);
		for (int i = 0; i < times; i++) {
			service(i).run(i % KEYS, this.overlaps)
				.subscribeOn(Schedulers.parallel())
				.doFinally((signal) -> done.countDown())
				.subscribe();
		}
		assertThat(done.await(100, TimeUnit.SECONDS)).isTrue();
	}

	/** Shows that the test above would see it. */
	@Test
	void watchSeesEventLoopThatWaits() throws Exception {
		List<String> blocked = eventLoopsBlockedDuring(
				() -> service(0).waiting().subscribeOn(Schedulers.parallel()).block(Duration.ofSeconds(30)));
		assertThat(blocked)
			.anySatisfy((what) -> assertThat(what).contains("parallel-", "jdk.ThreadPark", "CompletableFuture.get"));
	}

	@Test
	void cancellationAtAnyTimeLeavesNothingBehind() throws Exception {
		cancelAtAnyTime(SOME_SUBSCRIPTIONS);
	}

	@Test
	@Tag("stress")
	void manyCancellationsAtAnyTimeLeaveNothingBehind() throws Exception {
		cancelAtAnyTime(SUBSCRIPTIONS);
		StressSummary.HOLDS_CHECKED.add(this.overlaps.runs());
	}

	private void cancelAtAnyTime(int count) throws Exception {
		service(0).run(0, this.overlaps).block(Duration.ofSeconds(30));
		service(1).run(0, this.overlaps).block(Duration.ofSeconds(30));
		Random random = new Random(42);
		List<Disposable> subscriptions = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Disposable subscription = service(i).run(i % KEYS, this.overlaps)
				.subscribeOn(Schedulers.parallel())
				.subscribe();
			subscriptions.add(subscription);
			Schedulers.parallel().schedule(subscription::dispose, random.nextInt(200 * count), TimeUnit.MICROSECONDS);
		}
		await().until(() -> subscriptions.stream().allMatch(Disposable::isDisposed));
		assertThat(this.overlaps.seen()).isZero();
		nothingIsLeft();
		await().until(() -> this.overlaps.running() == 0);
	}

	/** The threads that waited, what for and where. */
	private static List<String> eventLoopsBlockedDuring(Recorded.Work work) throws Exception {
		return Recorded.during(work, BLOCKING.toArray(String[]::new))
			.stream()
			.filter((event) -> BLOCKING.contains(event.getEventType().getName()))
			.filter((event) -> EVENT_LOOPS.matcher(Recorded.threadName(event)).matches())
			.filter((event) -> Recorded.stack(event).stream().noneMatch(ReactiveLoadTests::isHarmless))
			.map((event) -> "%s: %s in %s".formatted(Recorded.threadName(event), event.getEventType().getName(),
					Recorded.stack(event)))
			.toList();
	}

	private static boolean isHarmless(String frame) {
		return HARMLESS.stream().anyMatch(frame::startsWith);
	}

	private Service service(int i) {
		return ((i % 2 == 0) ? this.one : this.other).bean(Service.class);
	}

	/** No lock, no queue entry, and no thread that waits for one of them. */
	private void nothingIsLeft() {
		await().until(() -> this.one.isIdle() && this.other.isIdle());
		await().until(() -> ((List<?>) this.redis.cli("KEYS", "lock:{*}")).isEmpty());
		await().until(() -> ((List<?>) this.redis.cli("KEYS", "lock:{*}:waiters")).isEmpty());
		await().until(() -> threadsOfLocks().stream().noneMatch((name) -> name.startsWith("lock-future")));
		await().untilAsserted(() -> assertThat(threadsOfLocks()).hasSizeLessThan(40));
	}

	private List<String> threadsOfLocks() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.before.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-"))
			.collect(Collectors.toList());
	}

	/**
	 * Counts those who run at once under the same key.
	 */
	static class Overlaps {

		private final ConcurrentHashMap<Integer, AtomicInteger> running = new ConcurrentHashMap<>();

		private final AtomicInteger seen = new AtomicInteger();

		private final AtomicInteger runs = new AtomicInteger();

		Runnable enter(int key) {
			AtomicInteger count = this.running.computeIfAbsent(key, (absent) -> new AtomicInteger());
			this.runs.incrementAndGet();
			if (count.incrementAndGet() > 1) {
				this.seen.incrementAndGet();
			}
			AtomicBoolean left = new AtomicBoolean();
			return () -> {
				if (left.compareAndSet(false, true)) {
					count.decrementAndGet();
				}
			};
		}

		int seen() {
			return this.seen.get();
		}

		int runs() {
			return this.runs.get();
		}

		int running() {
			return this.running.values().stream().mapToInt(AtomicInteger::get).sum();
		}

	}

	static class Service {

		@DistributedLock(name = "run", key = "#key")
		public Mono<Integer> run(int key, Overlaps overlaps) {
			return Mono.defer(() -> {
				Runnable leave = overlaps.enter(key);
				return Mono.delay(Duration.ofNanos(200_000)).thenReturn(key).doOnTerminate(leave).doOnCancel(leave);
			});
		}

		@DistributedLock(name = "waiting")
		public Mono<Integer> waiting() {
			return Mono.fromCallable(() -> {
				CompletableFuture<Integer> never = new CompletableFuture<>();
				never.completeOnTimeout(1, 20, TimeUnit.MILLISECONDS);
				return never.get();
			}).subscribeOn(Schedulers.parallel());
		}

	}

}
