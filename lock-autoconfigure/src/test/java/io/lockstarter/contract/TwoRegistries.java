package io.lockstarter.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The scene of the contract: two instances of an application, one lock, some threads.
 */
public interface TwoRegistries {

	Duration WAIT = Duration.ofSeconds(20);

	Duration LEASE = Duration.ofSeconds(30);

	/** To wait for its end; nothing may depend on what is done before. */
	Duration SHORT_LEASE = Duration.ofMillis(400);

	/** Short enough to wait until it is renewed, long enough for a slow machine. */
	Duration RENEWED_LEASE = Duration.ofSeconds(2);

	/** The lock's name, which no other test uses. */
	String name();

	DefaultLockRegistry one();

	DefaultLockRegistry two();

	/** What the first registry told. */
	Events events();

	/** A further registry over a client of its own, closed after the test. */
	DefaultLockRegistry open(EngineSettings settings, LockListener... listeners);

	/** A further thread, ended after the test. */
	Actor actor();

	/** How many times as many rounds to go as where time is short. */
	default int effort() {
		return 1;
	}

	/** The answer of a step of that many rounds, or what it threw. */
	default <T> T resultOf(Future<T> step) {
		return Actor.resultOf(step, Actor.PATIENCE.multipliedBy(effort()));
	}

	/** The types of locks to be had. */
	default List<LockType> types() {
		return List.of(LockType.values());
	}

	/** Whether instances can tell one another that they wait, or that a lock is free. */
	default boolean hasMessages() {
		return true;
	}

	/** Whether the place keeps neither the lock nor anybody who waits for it. */
	boolean isForgotten(String name);

	default DefaultLockRegistry open(Duration lease, LockListener... listeners) {
		return open(Settings.of("instance-n", WAIT, lease), listeners);
	}

	default LockRequest request() {
		return LockRequest.of(name());
	}

	/** The lock as the first registry sees it. */
	default NamedLock lock() {
		return one().get(name());
	}

	/** The lock as the second registry sees it. */
	default NamedLock otherLock() {
		return two().get(name());
	}

	default void awaitWaiting(DefaultLockRegistry registry, int count) {
		await().atMost(Actor.PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(registry.waitingCount()).isEqualTo(count));
	}

	/**
	 * Take a lock for a short time, the end of which is to be waited for. For as short a
	 * lease the answer has to come soon, and a slow machine may miss that: then it is
	 * asked again.
	 */
	default LockHandle acquireShortly(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		return acquireInTime(registry, request.leaseTime(SHORT_LEASE));
	}

	/** Take a lock with a registry whose lease is short. */
	default LockHandle acquireInTime(DefaultLockRegistry registry, LockRequest request) throws InterruptedException {
		long end = System.nanoTime() + Actor.PATIENCE.toNanos();
		while (true) {
			try {
				return registry.acquire(request);
			}
			catch (LockBackendException ex) {
				if (System.nanoTime() - end > 0) {
					throw ex;
				}
			}
		}
	}

	/** Take a lock that is held, but not for ever. */
	default void lockInTime(NamedLock lock) throws InterruptedException {
		assertThat(lock.tryLock(Actor.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).as("acquired in time").isTrue();
	}

	/** The lock is free, and nobody keeps anything of it. */
	default void assertNothingLeft() {
		await().atMost(Actor.PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> Stream.of(one(), two()).forEach((registry) -> {
				assertThat(registry.held()).isEmpty();
				assertThat(registry.heldCount()).isZero();
				assertThat(registry.waiting()).isEmpty();
				assertThat(registry.waitingCount()).isZero();
				assertThat(EngineInternals.places(registry)).as("names kept").isZero();
				assertThat(isForgotten(name())).as("forgotten by the backend").isTrue();
			}));
	}

}
