package io.lockstarter.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.RenewalState;
import io.lockstarter.core.LockMonitor.Waiting;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is seen of locks from outside, and what is kept of them inside.
 */
interface MonitorSemantics extends TwoRegistries {

	@Test
	default void showsWhatIsHeld() throws InterruptedException {
		LockOwner owner = LockOwner.create("task");
		Instant before = Instant.now().minusMillis(1);
		LockHandle handle = one().acquire(request().metricName("orders").owner(owner));
		one().acquire(request().owner(owner));
		assertThat(one().heldCount()).isOne();
		assertThat(one().held()).singleElement().satisfies((held) -> {
			assertThat(held.name()).isEqualTo(name());
			assertThat(held.metricName()).isEqualTo("orders");
			assertThat(held.type()).isEqualTo(LockType.REENTRANT);
			assertThat(held.owner()).isEqualTo(owner);
			assertThat(held.holdCount()).isEqualTo(2);
			assertThat(held.since()).isBetween(before, Instant.now());
			assertThat(held.fencingToken()).isEqualTo(handle.fencingToken());
			assertThat(held.remainingLease()).isBetween(LEASE.minusSeconds(10), LEASE);
			assertThat(held.renewal()).isEqualTo(RenewalState.RENEWING);
			assertThat(held.heldFor()).isBetween(Duration.ZERO, Duration.between(before, Instant.now()).plusMillis(10));
		});
		assertThat(two().held()).isEmpty();
		assertThat(two().heldCount()).isZero();
	}

	@Test
	default void showsThatALeaseIsFixed() throws InterruptedException {
		one().acquire(request().leaseTime(LEASE));
		assertThat(one().held()).extracting(Held::renewal).containsExactly(RenewalState.FIXED_LEASE);
	}

	@Test
	default void showsWhoWaitsInTheOrderOfTheQueue() {
		otherLock().lock();
		List<LockOwner> owners = new ArrayList<>();
		for (int i = 1; i <= 3; i++) {
			LockOwner owner = LockOwner.create("task");
			owners.add(owner);
			one().acquireAsync(request().metricName("orders").owner(owner));
			awaitWaiting(one(), i);
		}
		List<Waiting> waiting = one().waiting();
		assertThat(waiting).extracting(Waiting::owner).isEqualTo(owners);
		assertThat(waiting).extracting(Waiting::position).containsExactly(1, 2, 3);
		assertThat(waiting).extracting(Waiting::name).containsOnly(name());
		assertThat(waiting).extracting(Waiting::metricName).containsOnly("orders");
		assertThat(waiting).extracting(Waiting::since)
			.allSatisfy((since) -> assertThat(since).isBetween(Instant.now().minus(Actor.PATIENCE), Instant.now()));
		assertThat(one().waiting()).as("the same at each look")
			.extracting(Waiting::since)
			.isEqualTo(waiting.stream().map(Waiting::since).toList());
		assertThat(waiting).extracting(Waiting::waited)
			.allSatisfy((waited) -> assertThat(waited).isBetween(Duration.ZERO, Actor.PATIENCE));
		assertThat(two().waitingCount()).isZero();
		assertThat(one().heldCount()).isZero();
	}

	@Test
	default void grantsInTheOrderOfTheQueue() {
		lock().lock();
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			all.add(actor().begin(() -> {
				lock().lock();
				order.add(number);
				lock().unlock();
			}));
			awaitWaiting(one(), i + 1);
		}
		lock().unlock();
		all.forEach(Actor::resultOf);
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		assertNothingLeft();
	}

	@Test
	default void keepsNothingForIdleNames() throws InterruptedException {
		for (int i = 0; i < 100; i++) {
			String name = name() + "-" + i;
			one().get(name).lock();
			assertThat(two().get(name).tryLock()).isFalse();
			one().get(name).unlock();
		}
		assertNothingLeft();
		assertThat(isForgotten(name() + "-7")).isTrue();
		assertThat(EngineInternals.timers(one())).isZero();
		assertThat(EngineInternals.timers(two())).isZero();
	}

	@Test
	default void seesTheLocksOfAllInstances() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		CompletableFuture<LockHandle> request = two().acquireAsync(request());
		await().atMost(Actor.PATIENCE).until(() -> one().inspect(name()).join().waiting() == 1);
		assertSeen(two().inspect(name()).join(), handle);
		assertThat(one().inspect(name() + "-other").join().holders()).isEmpty();
		LockMonitor.LockPage page = two().locks("", 1000).join();
		assertThat(page.locks()).filteredOn((lock) -> lock.name().equals(name()))
			.singleElement()
			.satisfies((lock) -> assertSeen(lock, handle));
		request.cancel(false);
	}

	@Test
	default void countsTheRequestsOfAllInstancesThatWait() throws InterruptedException {
		LockHandle handle = open(LEASE).acquire(request());
		List<CompletableFuture<LockHandle>> all = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			all.add(one().acquireAsync(request()));
		}
		all.add(two().acquireAsync(request()));
		await().atMost(Actor.PATIENCE).until(() -> two().inspect(name()).join().waiting() == 4);
		LockMonitor.LockSnapshot seen = two().inspect(name()).join();
		assertThat(seen.waitingInstances()).isEqualTo(2);
		assertThat(seen.holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.holder().heldFor()).isPositive());
		LockMonitor.LockSnapshot later = one().inspect(name()).join();
		assertThat(later.waitingSince()).as("the same at each look").isNotNull().isEqualTo(seen.waitingSince());
		assertThat(later.holders()).extracting(LockMonitor.HolderSnapshot::since)
			.isEqualTo(seen.holders().stream().map(LockMonitor.HolderSnapshot::since).toList());
		all.get(2).cancel(false);
		await().atMost(Actor.PATIENCE).until(() -> two().inspect(name()).join().waiting() == 3);
		handle.close();
		List.of(all.get(0), all.get(1), all.get(3))
			.stream()
			.map((request) -> request.thenAccept(LockHandle::releaseAsync))
			.toList()
			.forEach(Actor::resultOf);
		await().atMost(Actor.PATIENCE).until(() -> two().inspect(name()).join().waiting() == 0);
		assertThat(two().inspect(name()).join().waitingSince()).isNull();
	}

	@Test
	default void countsThoseWhoWaitInTheInstanceThatHasTheLock() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		CompletableFuture<LockHandle> own = one().acquireAsync(request());
		CompletableFuture<LockHandle> other = two().acquireAsync(request());
		await().atMost(Actor.PATIENCE).until(() -> one().inspect(name()).join().waiting() == 2);
		assertThat(one().inspect(name()).join().waitingInstances()).isEqualTo(2);
		assertThat(two().inspect(name()).join().waiting()).as("no other knows").isOne();
		handle.close();
		List.of(own, other)
			.stream()
			.map((request) -> request.thenAccept(LockHandle::releaseAsync))
			.toList()
			.forEach(Actor::resultOf);
	}

	private static void assertSeen(LockMonitor.LockSnapshot lock, LockHandle held) {
		assertThat(lock.name()).isEqualTo(held.name());
		assertThat(lock.holders()).singleElement().satisfies((seen) -> {
			assertThat(seen.holder().label()).startsWith("instance-1/");
			assertThat(seen.holder().remainingLease()).isBetween(LEASE.minusSeconds(10), LEASE);
			assertThat(seen.fencingToken()).isEqualTo(held.fencingToken());
		});
	}

	@Test
	default void tellsInItsHealthWhatIsHeldAndWaitedFor() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		CompletableFuture<LockHandle> request = one().acquireAsync(request());
		awaitWaiting(one(), 1);
		assertThat(one().health().join().details()).containsEntry("held", 1).containsEntry("waiting", 1);
		handle.close();
		Actor.resultOf(request).close();
	}

	@Test
	default void isHealthyWhileItsBackendAnswers() {
		assertThat(one().health().join().up()).isTrue();
		assertThat(one().health().join().details()).containsEntry("instance", "instance-1")
			.containsEntry("renewalsFailing", 0L)
			.containsEntry("held", 0)
			.containsEntry("waiting", 0)
			.containsKey("topology");
	}

}
