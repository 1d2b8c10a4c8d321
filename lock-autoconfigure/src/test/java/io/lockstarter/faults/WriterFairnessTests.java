package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writers among a never-ending stream of readers. The system property {@value #SECONDS}
 * says for how long in the stress suite.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterFairnessTests extends RedisOfItsOwn {

	static final String SECONDS = "lockstarter.test.readers.seconds";

	private static final int READERS = 32;

	private static final int WRITERS = 2;

	private static final int WRITER = 1_000_000;

	private static final LockRequest ANY = LockRequest.of("a").waitTime(LockRequest.FOREVER);

	private final Duration time = Duration.ofSeconds(Integer.getInteger(SECONDS, 20));

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong lastWrite = new AtomicLong();

	private final AtomicLong reads = new AtomicLong();

	private final AtomicLong longestRead = new AtomicLong();

	private final List<Long> waits = Collections.synchronizedList(new ArrayList<>());

	/**
	 * The bound is one of fairness: whatever the machine does to a reader, it does to the
	 * measure as well. A writer waits for those who read already, perhaps for the other
	 * writer, and for those who were let in with it.
	 */
	@Tag("stress")
	@ParameterizedTest
	@CsvSource({ "2, true", "4, true", "4, false" })
	void writersWaitNoLongerThanThreeReads(int clients, boolean renewed) throws Exception {
		Liveness.within("wait of a writer in the longest reads", Duration.ofSeconds(3),
				() -> Duration.ofMillis((long) (1000 * mix(clients, renewed, this.time))));
	}

	@Test
	void writersGetInAmongReadersWithoutEnd() throws Exception {
		mix(2, true, Duration.ofSeconds(1));
	}

	/**
	 * Let readers and writers work, and tell p99 of the writers' waits in longest reads.
	 */
	private double mix(int clients, boolean renewed, Duration time) throws Exception {
		this.waits.clear();
		this.reads.set(0);
		this.longestRead.set(0);
		List<DefaultLockRegistry> registries = new ArrayList<>();
		for (int i = 0; i < clients; i++) {
			registries.add(registry(Duration.ofSeconds(30)));
			Registries.warmUp(registries.get(i));
		}
		LockRequest request = renewed ? ANY : ANY.leaseTime(Duration.ofSeconds(20));
		long end = System.nanoTime() + time.toNanos();
		List<Future<?>> works = new ArrayList<>();
		for (int i = 0; i < READERS + WRITERS; i++) {
			DefaultLockRegistry registry = registries.get(i % clients);
			boolean writes = i >= READERS;
			works.add(async(() -> {
				while (System.nanoTime() < end) {
					if (writes) {
						write(registry, request.type(LockType.WRITE));
					}
					else {
						read(registry, request.type(LockType.READ));
					}
				}
				return null;
			}));
		}
		for (Future<?> work : works) {
			work.get(100, TimeUnit.SECONDS);
		}
		Collections.sort(this.waits);
		Duration p99 = Duration.ofNanos(this.waits.get((int) Math.ceil(this.waits.size() * 0.99) - 1));
		Duration longest = Duration.ofNanos(this.longestRead.get());
		report("%d readers and %d writers over %d clients, %s: %d reads of up to %.1f ms, %d writes,"
				+ " which waited %.1f ms at the median, %.1f at p99, %.1f at most", READERS, WRITERS, clients,
				renewed ? "renewed" : "fixed leases", this.reads.get(), longest.toNanos() / 1e6, this.waits.size(),
				this.waits.get(this.waits.size() / 2) / 1e6, p99.toNanos() / 1e6,
				this.waits.get(this.waits.size() - 1) / 1e6);
		assertThat(this.waits).isNotEmpty();
		assertThat(this.reads).hasPositiveValue();
		assertThat(isLocked("a")).isFalse();
		if (StressRun.isUnderWay()) {
			StressSummary.HOLDS_CHECKED.add(this.reads.get() + this.waits.size());
		}
		return (double) p99.toNanos() / longest.toNanos();
	}

	private void read(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		long start;
		try (LockHandle handle = registry.acquire(request)) {
			start = System.nanoTime();
			assertThat(this.inside.incrementAndGet()).as("inside with a reader").isLessThan(WRITER);
			assertThat(handle.fencingToken()).isGreaterThan(this.lastWrite.get());
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000, 5_000_000));
			this.inside.decrementAndGet();
		}
		this.reads.incrementAndGet();
		this.longestRead.accumulateAndGet(System.nanoTime() - start, Math::max);
	}

	private void write(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		long asked = System.nanoTime();
		try (LockHandle handle = registry.acquire(request)) {
			this.waits.add(System.nanoTime() - asked);
			assertThat(this.inside.getAndAdd(WRITER)).as("inside with a writer").isZero();
			assertThat(handle.fencingToken()).isGreaterThan(this.lastWrite.getAndSet(handle.fencingToken()));
			this.inside.addAndGet(-WRITER);
		}
		LockSupport.parkNanos(5_000_000);
	}

}
