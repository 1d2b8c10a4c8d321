package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Waiters whose wake-up is lost, late or never sent.
 */
class WakeUpFaultTests extends ProxiedRedis {

	private static final Duration LEASE = Duration.ofSeconds(20);

	/**
	 * The cancellation of a first attempt is repeated, and its last copy comes after the
	 * second attempt has been put among the waiters, and takes the client out of them.
	 */
	@Tag("stress")
	@Test
	void cancellationThatArrivesLateLeavesItsClientAmongTheWaiters() throws Exception {
		within("lock granted although a cancellation came late", Duration.ofMillis(500), () -> {
			Duration lease = Duration.ofSeconds(6);
			DefaultLockRegistry registry = proxied(lease);
			DefaultLockRegistry other = registry(lease);
			LockHandle held = other.acquire(LockRequest.of("a"));
			other.acquire(LockRequest.of("b"));
			// Subscribed beforehand, or the new subscription would wake the client.
			CompletableFuture<LockHandle> subscribing = registry.acquireAsync(LockRequest.of("b"));
			await().until(this::isSubscribed);
			subscribing.cancel(true);
			long commandTimeout = lease.toNanos() / 6;
			this.proxy.holdRequests();
			long start = System.nanoTime();
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")));
			awaitTime(start + 19 * commandTimeout / 10);
			CompletableFuture<LockHandle> second = registry.acquireAsync(LockRequest.of("a"));
			awaitTime(start + 24 * commandTimeout / 10);
			this.proxy.releaseHeld();
			await().during(Duration.ofMillis(150)).until(this::isWaitedFor);
			held.close();
			long released = System.nanoTime();
			second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
			return since(released);
		});
	}

	@Test
	void releaseThatArrivesLateDelaysItsClientByNoMoreThanTheRecheck() throws Exception {
		within("lock granted although a release came late", WAKE_BOUND, () -> {
			DefaultLockRegistry registry = proxied(LEASE);
			LockHandle first = registry.acquire(LockRequest.of("a"));
			this.proxy.holdRequest(key("a"));
			first.close();
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			Future<Long> granted = waiter(registry);
			this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return release(held, granted);
		});
	}

	@Test
	void waiterWhoseSubscriptionIsKilledDuringTheUnlockGetsTheLock() throws Exception {
		within("lock granted after a subscription was killed during the unlock", WAKE_BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			Future<Long> granted = waiter(registry(LEASE));
			assertThat(this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
			return release(held, granted);
		});
	}

	@Test
	void waiterWhoseSubscriptionIsKilledAgainAndAgainGetsTheLock() throws Exception {
		within("lock granted while the subscription is killed every 5 ms", WAKE_BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			Future<Long> granted = waiter(registry(LEASE));
			AtomicLong kills = new AtomicLong();
			Future<?> killer = async(() -> {
				while (!granted.isDone()) {
					kills.addAndGet((long) this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub"));
					awaitElapsed(Duration.ofMillis(5));
				}
				return null;
			});
			await().until(() -> kills.get() >= 20);
			Duration took = release(held, granted);
			killer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return took;
		});
	}

	/** Redis counts the message as delivered, but it never arrives. */
	@Test
	void waiterWhoseWakeUpIsLostOnTheWayGetsTheLock() throws Exception {
		within("lock granted after the wake-up was lost on the way", WAKE_BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			Future<Long> granted = waiter(proxied(LEASE));
			this.proxy.holdReplies();
			held.close();
			long released = System.nanoTime();
			this.proxy.cutAll();
			this.proxy.releaseHeld();
			return wait(granted, released);
		});
	}

	/** The bounded re-check is all that is left. */
	@Test
	void waiterThatCannotSubscribeAgainGetsTheLock() throws Exception {
		within("lock granted without a subscription", WAKE_BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
			Future<Long> granted = waiter(proxied(LEASE));
			this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
			this.proxy.refuse();
			Duration took = release(held, granted);
			this.proxy.accept();
			return took;
		});
	}

	private static Duration release(LockHandle held, Future<Long> granted) throws Exception {
		held.close();
		return wait(granted, System.nanoTime());
	}

}
