package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.observation.LockMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A thousand locks that another instance passes on at once: whatever becomes of their
 * first leases, each is held, or its loss is told.
 */
class ManyGrantsTests extends ProxiedRedis {

	private static final int NAMES = 1000;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration FIRST_LEASE = Duration.ofSeconds(1);

	/** Threads that compete with those of the locks for each processor. */
	private static final int RIVALS = 16;

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final AtomicBoolean busy = new AtomicBoolean(true);

	@Test
	void tellsTheLossOfEachFirstLeaseThatIsNotConfirmed() throws Exception {
		DefaultLockRegistry holder = registry(LEASE);
		List<LockHandle> held = requests(holder).stream().map(ManyGrantsTests::granted).toList();
		DefaultLockRegistry waiter = observed();
		subscribe(waiter, holder);
		List<CompletableFuture<LockHandle>> waiting = requests(waiter);
		awaitRegistered(waiter);
		this.proxy.holdRequests();
		held.forEach(LockHandle::releaseAsync);
		List<LockHandle> granted = waiting.stream().map(ManyGrantsTests::granted).toList();
		await().atMost(PATIENCE).until(() -> waiter.heldCount() == 0);
		assertHeldOrTold(waiter, granted);
		assertThat(this.events.losses).hasSize(NAMES);
		this.proxy.releaseHeld();
		assertReleased(waiter, granted);
	}

	@Tag("stress")
	@RepeatedTest(10)
	void losesNoneSilentlyOnABusyMachine() throws Exception {
		List<LockHandle> held = requests(registry(LEASE)).stream().map(ManyGrantsTests::granted).toList();
		DefaultLockRegistry waiter = observed();
		List<CompletableFuture<LockHandle>> waiting = requests(waiter);
		awaitRegistered(waiter);
		List<Thread> rivals = keepBusy();
		long start = System.nanoTime();
		held.forEach(LockHandle::releaseAsync);
		List<LockHandle> granted = waiting.stream().map(ManyGrantsTests::granted).toList();
		int heldThen = waiter.heldCount();
		report("%d granted within %d ms, %d held then", NAMES, since(start).toMillis(), heldThen);
		assertHeldOrTold(waiter, granted);
		this.busy.set(false);
		for (Thread rival : rivals) {
			rival.join();
		}
		report("%d held in the end, %d losses told, %d renewals", waiter.heldCount(), this.events.losses.size(),
				this.events.renewals.get());
		assertReleased(waiter, granted);
	}

	private DefaultLockRegistry observed() {
		return this.registries.open(this.proxy.host(), this.proxy.port(), LEASE, this.events,
				new LockMeters(this.meters));
	}

	private static List<CompletableFuture<LockHandle>> requests(DefaultLockRegistry registry) {
		return IntStream.range(0, NAMES).mapToObj((i) -> registry.acquireAsync(LockRequest.of("name-" + i))).toList();
	}

	private static LockHandle granted(CompletableFuture<LockHandle> request) {
		return request.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	/** Whoever waits from now on asks once, and not again when it hears messages. */
	private void subscribe(DefaultLockRegistry waiter, DefaultLockRegistry holder) throws Exception {
		LockHandle held = holder.acquire(LockRequest.of("first"));
		CompletableFuture<LockHandle> first = waiter.acquireAsync(LockRequest.of("first"));
		await().atMost(PATIENCE).until(() -> this.redis.cli("EXISTS", key("first") + ":waiters").equals(1L));
		held.close();
		granted(first).close();
		await().atMost(PATIENCE).until(() -> this.events.releases.compareAndSet(1, 0));
	}

	private void awaitRegistered(DefaultLockRegistry waiter) {
		await().atMost(PATIENCE)
			.until(() -> waiter.waitingCount() == NAMES && IntStream.range(0, NAMES)
				.allMatch((i) -> this.redis.cli("EXISTS", key("name-" + i) + ":waiters").equals(1L)));
		await().until(this::isSubscribed);
	}

	private List<Thread> keepBusy() {
		List<Thread> rivals = new ArrayList<>();
		for (int i = 0; i < RIVALS; i++) {
			Thread rival = new Thread(() -> {
				while (this.busy.get()) {
					Thread.onSpinWait();
				}
			}, "rival-" + i);
			rival.setDaemon(true);
			rival.start();
			rivals.add(rival);
		}
		return rivals;
	}

	/** What is granted is held, or told lost in all ways. */
	private void assertHeldOrTold(DefaultLockRegistry registry, List<LockHandle> granted) {
		// A loss is told after it is declared, on other threads.
		await().atMost(PATIENCE).untilAsserted(() -> {
			int told = this.events.losses.size();
			assertThat(registry.heldCount() + told).as("held and told lost").isEqualTo(NAMES);
			assertThat(lossesCounted()).as("losses counted").isEqualTo(told);
			Map<String, LockLoss> losses = losses();
			assertThat(losses).hasSize(told);
			assertThat(granted).allSatisfy((handle) -> assertThat(isConfirmed(handle)).as("%s", handle)
				.isNotEqualTo(losses.containsKey(handle.name())));
		});
	}

	/** Whether its first lease was renewed, so that it will not be lost any more. */
	private static boolean isConfirmed(LockHandle handle) {
		return handle.remainingLease().compareTo(FIRST_LEASE) > 0;
	}

	private void assertReleased(DefaultLockRegistry registry, List<LockHandle> granted) throws Exception {
		Map<String, LockLoss> losses = losses();
		for (LockHandle handle : granted) {
			LockLoss loss = losses.get(handle.name());
			CompletableFuture<?> released = handle.releaseAsync().toCompletableFuture();
			if (loss == null) {
				released.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			}
			else {
				assertThatExceptionOfType(ExecutionException.class)
					.isThrownBy(() -> released.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
					.withCauseInstanceOf(LockLostException.class);
			}
		}
		assertThat(registry.heldCount()).isZero();
		await().atMost(PATIENCE).until(() -> IntStream.range(0, NAMES).noneMatch((i) -> isLocked("name-" + i)));
		assertThat(this.events.releases.get() + this.events.losses.size()).isEqualTo(NAMES);
	}

	private Map<String, LockLoss> losses() {
		Map<String, LockLoss> losses = new HashMap<>();
		this.events.losses.forEach((lost) -> losses.put(lost.name(), lost.loss()));
		return losses;
	}

	private int lossesCounted() {
		return (int) this.meters.find("distributed.lock.lost").counters().stream().mapToDouble(Counter::count).sum();
	}

}
