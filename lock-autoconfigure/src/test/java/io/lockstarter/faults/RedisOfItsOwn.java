package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisServer;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Gives every test a Redis of its own, to be broken as it likes.
 */
@ExtendWith(StressRun.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class RedisOfItsOwn {

	/** For what must happen, but has no bound of its own. */
	static final Duration PATIENCE = Duration.ofSeconds(30);

	Events events = new Events();

	final Registries registries = new Registries();

	private ExecutorService threads = Executors.newCachedThreadPool();

	RedisServer redis;

	@BeforeEach
	void startRedis() throws Exception {
		this.redis = RedisServer.startGuarded();
	}

	@AfterEach
	void closeAll() throws Exception {
		if (this.redis.isAlive()) {
			this.redis.resume();
		}
		this.threads.shutdownNow();
		this.registries.close();
		this.redis.close();
	}

	/**
	 * Do something that may take so long only, which is asserted in the stress suite
	 * alone. A second attempt has a new Redis.
	 */
	void within(String what, Duration limit, Callable<Duration> attempt) throws Exception {
		if (!StressRun.isUnderWay()) {
			report("%s: %d ms", what, attempt.call().toMillis());
			return;
		}
		AtomicBoolean again = new AtomicBoolean();
		Liveness.within(what, limit, () -> {
			if (again.getAndSet(true)) {
				closeAll();
				this.threads = Executors.newCachedThreadPool();
				this.events = new Events();
				startRedis();
			}
			Duration took = attempt.call();
			report("%s: %d ms", what, took.toMillis());
			return took;
		});
	}

	/** A new instance, whose events are not looked at. */
	DefaultLockRegistry registry(Duration lease) {
		return this.registries.open(this.redis.host(), this.redis.port(), lease);
	}

	/** A new instance, whose events go to {@link #events}. */
	DefaultLockRegistry observedRegistry(Duration lease) {
		return this.registries.open(this.redis.host(), this.redis.port(), lease, this.events);
	}

	<T> Future<T> async(Callable<T> work) {
		return this.threads.submit(work);
	}

	/** Run on a new thread that has ended when this method returns. */
	<T> T onAThreadThatEnds(Callable<T> work) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(work.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.start();
		thread.join();
		return result.get(0, TimeUnit.SECONDS);
	}

	static String key(String name) {
		return "lock:{" + name + "}";
	}

	/** The key with the last token of all locks of a slot. */
	static String fence(String name) {
		return new LockScripts(new LockKeys("lock:", () -> ""), () -> "", Duration.ZERO, true, () -> false)
			.holders(name)
			.keys()
			.get(1);
	}

	/** The key with what may be kept beside a lock. */
	static String clients(String name) {
		return key(name) + ":clients";
	}

	boolean isLocked(String name) {
		return this.redis.cli("EXISTS", key(name)).equals(1L);
	}

	/** The hold counts in the hash of a lock. */
	List<Object> holdCounts(String name) {
		List<Object> counts = new ArrayList<>();
		for (Iterator<?> entries = ((List<?>) this.redis.cli("HGETALL", key(name))).iterator(); entries.hasNext();) {
			String field = entries.next().toString();
			Object value = entries.next();
			if (field.contains(":")) {
				counts.add(value);
			}
		}
		return counts;
	}

	/** The time that a lease lasts yet, by Redis. */
	Duration remainingLease(String name) {
		return Duration.ofMillis((Long) this.redis.cli("PTTL", key(name)));
	}

	static Duration since(long nanoTime) {
		return Duration.ofNanos(System.nanoTime() - nanoTime);
	}

	/** Wait until a time of {@link System#nanoTime()}. */
	static void awaitTime(long nanoTime) {
		await().pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(Duration.ofSeconds(50))
			.until(() -> System.nanoTime() - nanoTime >= 0);
	}

	static void awaitElapsed(Duration time) {
		awaitTime(System.nanoTime() + time.toNanos());
	}

	/** Assert that a request fails for one of some reasons, before its time is over. */
	static void assertRefused(DefaultLockRegistry registry, String name, Reason... reasons) {
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of(name).waitTime(PATIENCE)))
			.satisfies((failure) -> {
				assertThat(failure.reason()).as(Throwables.getStackTrace(failure)).isIn((Object[]) reasons);
				assertThat(failure.lockName()).isEqualTo(name);
				assertThat(failure.mayHaveRun()).as("needs to be ended").isFalse();
			});
	}

	/** Print a measured figure into the build's log. */
	void report(String format, Object... arguments) {
		System.out.printf("[%s] %s%n", getClass().getSimpleName(), format.formatted(arguments));
	}

}
