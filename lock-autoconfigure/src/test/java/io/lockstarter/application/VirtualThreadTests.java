package io.lockstarter.application;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for many virtual threads that want locks at once.
 */
@EnabledForJreRange(min = JRE.JAVA_24,
		disabledReason = "Virtual threads came with Java 21, and only since 24 do monitors not pin them")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadTests {

	private static final String PINNED = "jdk.VirtualThreadPinned";

	private static final int THREADS = 10_000;

	private static final int SOME_THREADS = 500;

	/** A lost wake-up is made good by a look after a second, give or take a fifth. */
	private static final Duration BEFORE_THE_NEXT_LOOK = Duration.ofMillis(700);

	private final RedisServer redis = RedisServer.startGuarded();

	private final Application one = new Application(this.redis, List.of(Service.class));

	private final Application other = new Application(this.redis, List.of(Service.class));

	private final Holds holds = new Holds();

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void takeTurnsOnOneKeyWithoutPinning() throws Exception {
		takeTurns(SOME_THREADS);
	}

	@Test
	@Tag("stress")
	void takeTurnsOnOneKeyWithoutPinningOrLostWakeUp() throws Exception {
		Liveness.within("a hand-over beyond the machine's stalls", BEFORE_THE_NEXT_LOOK, () -> takeTurns(THREADS));
		StressSummary.HOLDS_CHECKED.add(THREADS);
	}

	/**
	 * Let threads take turns.
	 * @return for how long nobody had the lock, without what the machine stood still
	 */
	private Duration takeTurns(int threads) throws Exception {
		warmUp();
		this.holds.clear();
		Stalls stalls = new Stalls();
		List<RecordedEvent> pinned;
		try (stalls) {
			pinned = pinned(() -> run(threads, (i) -> service(i).turn(this.holds)));
		}
		assertThat(this.holds.count).isEqualTo(threads);
		assertThat(this.holds.overlaps()).isZero();
		assertThat(pinned).isEmpty();
		nothingIsLeft();
		return this.holds.longestPause().minus(stalls.longest());
	}

	@Test
	void runSideBySideOnKeysOfTheirOwnWithoutPinning() throws Exception {
		runSideBySide(SOME_THREADS);
	}

	@Test
	@Tag("stress")
	void runSideBySideOnManyKeysOfTheirOwnWithoutPinning() throws Exception {
		runSideBySide(THREADS);
	}

	private void runSideBySide(int threads) throws Exception {
		warmUp();
		AtomicInteger runs = new AtomicInteger();
		List<RecordedEvent> pinned = pinned(() -> run(threads, (i) -> service(i).alone(i, runs)));
		assertThat(runs).hasValue(threads);
		assertThat(pinned).isEmpty();
		nothingIsLeft();
	}

	/**
	 * What pinned threads meanwhile, but for the loading of classes: some of Netty are
	 * loaded under load only, once.
	 */
	private static List<RecordedEvent> pinned(Recorded.Work work) throws Exception {
		return Recorded.during(work, PINNED)
			.stream()
			.filter((event) -> !Recorded.stack(event).contains("java.lang.ClassLoader.loadClass"))
			.toList();
	}

	/** Shows that the tests above would see it: whoever initializes a class is pinned. */
	@Test
	void recordingSeesPinnedThread() throws Exception {
		List<RecordedEvent> pinned = Recorded.during(() -> run(1, (i) -> Pinning.initialize()), PINNED);
		assertThat(pinned).isNotEmpty();
		assertThat(Recorded.stack(pinned.get(0))).anyMatch((frame) -> frame.contains("Pinning"));
	}

	/** Shows that the test above would see a second in which nobody holds the lock. */
	@Test
	void holdsTellPauseBetweenThem() {
		this.holds.add(0, 10);
		this.holds.add(1_000_000_010, 1_000_000_020);
		this.holds.add(1_000_000_030, 1_000_000_040);
		assertThat(this.holds.longestPause()).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.holds.overlaps()).isZero();
		this.holds.add(1_000_000_035, 1_000_000_050);
		assertThat(this.holds.overlaps()).isEqualTo(1);
	}

	/** Loads and initializes the classes, which pins. */
	private void warmUp() throws Exception {
		run(200, (i) -> service(i).turn(this.holds));
		run(200, (i) -> service(i).alone(i, new AtomicInteger()));
	}

	private static void run(int threads, Task task) throws Exception {
		ExecutorService executor = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		List<Callable<Void>> tasks = IntStream.range(0, threads).<Callable<Void>>mapToObj((i) -> () -> {
			task.run(i);
			return null;
		}).toList();
		try {
			for (Future<Void> done : executor.invokeAll(tasks)) {
				done.get();
			}
		}
		finally {
			executor.shutdown();
		}
	}

	private Service service(int i) {
		return ((i % 2 == 0) ? this.one : this.other).bean(Service.class);
	}

	private void nothingIsLeft() {
		await().until(() -> this.one.isIdle() && this.other.isIdle());
		assertThat((List<?>) this.redis.cli("KEYS", "lock:{*}")).isEmpty();
	}

	/**
	 * What one of many threads does.
	 */
	@FunctionalInterface
	interface Task {

		void run(int i) throws Exception;

	}

	/**
	 * When the lock was held. Not safe for threads: the lock is.
	 */
	static class Holds {

		private int count;

		private final List<long[]> spans = Collections.synchronizedList(new ArrayList<>());

		void clear() {
			this.count = 0;
			this.spans.clear();
		}

		void add(long from, long to) {
			this.count++;
			this.spans.add(new long[] { from, to });
		}

		Duration longestPause() {
			return Duration.ofNanos(pauses().max().orElseThrow());
		}

		long overlaps() {
			return pauses().filter((pause) -> pause < 0).count();
		}

		private LongStream pauses() {
			List<long[]> ordered = this.spans.stream().sorted((a, b) -> Long.compare(a[0], b[0])).toList();
			return IntStream.range(1, ordered.size()).mapToLong((i) -> ordered.get(i)[0] - ordered.get(i - 1)[1]);
		}

	}

	/**
	 * How long the machine let a thread wait that only had to be woken.
	 */
	static final class Stalls implements AutoCloseable {

		private static final long NAP = TimeUnit.MILLISECONDS.toNanos(5);

		private final AtomicLong longest = new AtomicLong();

		private final Thread thread = new Thread(this::watch, "stalls");

		private volatile boolean closed;

		Stalls() {
			this.thread.setDaemon(true);
			this.thread.start();
		}

		private void watch() {
			while (!this.closed) {
				long start = System.nanoTime();
				LockSupport.parkNanos(NAP);
				long late = System.nanoTime() - start - NAP;
				this.longest.accumulateAndGet(late, Math::max);
			}
		}

		Duration longest() {
			return Duration.ofNanos(this.longest.get());
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

	static class Service {

		@DistributedLock(name = "turn", waitTime = "3m")
		public void turn(Holds holds) {
			long start = System.nanoTime();
			holds.add(start, System.nanoTime());
		}

		@DistributedLock(name = "alone", key = "#id", waitTime = "3m")
		public void alone(int id, AtomicInteger runs) {
			runs.incrementAndGet();
		}

	}

	/**
	 * Waits while it is initialized.
	 */
	static final class Pinning {

		static {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}

		static void initialize() {
		}

	}

}
