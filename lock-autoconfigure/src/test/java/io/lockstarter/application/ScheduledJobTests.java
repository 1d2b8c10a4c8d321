package io.lockstarter.application;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import io.lockstarter.core.LockMonitor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a scheduled job of two instances, which one of them is to do each time.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScheduledJobTests {

	/** The job's period, in which the lock is kept for half of it. */
	private static final long PERIOD_MILLIS = 3000;

	private static final int TICKS = 3;

	private final RedisServer redis = RedisServer.startGuarded();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void runsOnceOnPlatformThreads() {
		runsOnce(false);
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads came with Java 21")
	void runsOnceOnVirtualThreads() {
		runsOnce(true);
	}

	/**
	 * A tick each, however long after one another, since the first one keeps the lock.
	 */
	private void runsOnce(boolean virtual) {
		Runs.clear();
		String threads = "spring.threads.virtual.enabled=" + virtual;
		try (Application one = new Application(this.redis, List.of(JobsOnce.class), threads);
				Application other = new Application(this.redis, List.of(JobsOnce.class), threads)) {
			await().until(() -> Runs.INSTANCES.size() == 2 && Runs.count("missed") > 2);
			assertThat(Runs.count("locked")).as("runs of %s", Runs.ALL).isEqualTo(1);
			assertThat(Runs.onVirtualThreads).isEqualTo(virtual);
			((LockMonitor) one.locks()).forceRelease("once");
		}
	}

	/** Not even the death of the instance would free the lock earlier. */
	@Test
	void leaseCoversTheMinimumTimeWhileTheJobRuns() throws Exception {
		LongJob.BEGUN.drainPermits();
		try (Application one = new Application(this.redis, List.of(LongJob.class))) {
			LongJob.BEGUN.acquire();
			try {
				assertThat((Long) this.redis.cli("PTTL", "lock:{long}"))
					.isGreaterThan(Duration.ofMinutes(59).toMillis());
			}
			finally {
				LongJob.END.release();
				((LockMonitor) one.locks()).forceRelease("long");
			}
		}
	}

	@Test
	@Tag("stress")
	void runsOncePerTickOnPlatformThreads() throws Exception {
		runsOncePerTick(false);
	}

	@Test
	@Tag("stress")
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads came with Java 21")
	void runsOncePerTickOnVirtualThreads() throws Exception {
		runsOncePerTick(true);
	}

	private void runsOncePerTick(boolean virtual) throws Exception {
		Runs.clear();
		String threads = "spring.threads.virtual.enabled=" + virtual;
		try (Application one = new Application(this.redis, List.of(Jobs.class), threads);
				Application other = new Application(this.redis, List.of(Jobs.class), threads)) {
			// The first tick may come before the second instance is there
			await().atMost(Duration.ofMinutes(1)).until(() -> Runs.ticks("unlocked").size() > TICKS + 1);
		}
		Set<Long> ticks = Set.copyOf(Runs.ticks("unlocked").keySet().stream().sorted().skip(1).limit(TICKS).toList());
		StressSummary.HOLDS_CHECKED.add(ticks.size());
		for (long tick : ticks) {
			assertThat(Runs.ticks("unlocked").get(tick)).as("instances that the clock woke").hasValue(2);
			assertThat(Runs.ticks("locked")).as("runs at %s of %s", tick, Runs.ALL).containsKey(tick);
			assertThat(Runs.ticks("locked").get(tick)).as("runs at %s of %s", tick, Runs.ALL).hasValue(1);
		}
		assertThat(Runs.onVirtualThreads).isEqualTo(virtual);
	}

	/**
	 * How often a job ran at which tick of the clock.
	 */
	static final class Runs {

		static final Map<String, ConcurrentMap<Long, AtomicInteger>> ALL = new ConcurrentHashMap<>();

		/** Those that ran the job or missed it. */
		static final Set<Object> INSTANCES = ConcurrentHashMap.newKeySet();

		static volatile boolean onVirtualThreads;

		private Runs() {
		}

		static ConcurrentMap<Long, AtomicInteger> ticks(String job) {
			return ALL.computeIfAbsent(job, (absent) -> new ConcurrentHashMap<>());
		}

		static void clear() {
			ALL.clear();
			INSTANCES.clear();
		}

		static int count(String job) {
			return ticks(job).values().stream().mapToInt(AtomicInteger::get).sum();
		}

		static void add(String job) {
			long tick = System.currentTimeMillis() / PERIOD_MILLIS;
			ticks(job).computeIfAbsent(tick, (absent) -> new AtomicInteger()).incrementAndGet();
			onVirtualThreads = Thread.currentThread().getClass().getSimpleName().contains("Virtual");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class JobsOnce {

		@Scheduled(fixedDelay = 20)
		@DistributedLock(name = "once", waitTime = "0", fallback = "missed", holdAtLeast = "1h")
		public void locked() {
			Runs.add("locked");
			Runs.INSTANCES.add(this);
		}

		void missed() {
			Runs.add("missed");
			Runs.INSTANCES.add(this);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class LongJob {

		static final Semaphore BEGUN = new Semaphore(0);

		static final Semaphore END = new Semaphore(0);

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "long", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "1h")
		public void locked() {
			BEGUN.release();
			END.acquireUninterruptibly();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Jobs {

		@Scheduled(cron = "*/3 * * * * *")
		@DistributedLock(name = "job", waitTime = "0", onTimeout = OnTimeout.SKIP, holdAtLeast = "1500ms")
		public void locked() {
			Runs.add("locked");
		}

		@Scheduled(cron = "*/3 * * * * *")
		public void unlocked() {
			Runs.add("unlocked");
		}

	}

}
