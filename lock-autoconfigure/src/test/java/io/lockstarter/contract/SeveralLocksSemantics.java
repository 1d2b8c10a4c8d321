package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What it means to take several locks as one.
 */
interface SeveralLocksSemantics extends TwoRegistries {

	private LockRequest named(String suffix) {
		return LockRequest.of(name() + suffix);
	}

	private boolean isFree(String suffix) {
		return actor().call(() -> {
			boolean taken = two().get(named(suffix)).tryLock();
			if (taken) {
				two().get(named(suffix)).unlock();
			}
			return taken;
		});
	}

	@Test
	default void takesAllLocksInTheOrderOfTheirNames() throws InterruptedException {
		try (LockHandle all = one().acquireAll(List.of(named("b"), named("c"), named("a")))) {
			assertThat(all.parts()).extracting(LockHandle::name)
				.containsExactly(name() + "a", name() + "b", name() + "c");
			assertThat(all.name()).contains(name() + "a", name() + "b", name() + "c");
			assertThat(all.isValid()).isTrue();
			assertThat(all.remainingLease()).isBetween(LEASE.minusSeconds(5), LEASE);
			assertThat(isFree("a") || isFree("b") || isFree("c")).isFalse();
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(all::fencingToken)
				.withMessageContaining("parts()");
			assertThat(all.parts()).extracting(LockHandle::fencingToken).doesNotHaveDuplicates();
		}
		assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
		assertNothingLeft();
	}

	@Test
	default void takesNoneWhenOneIsNotFreeInTime() throws InterruptedException {
		try (LockHandle held = two().acquire(named("b"))) {
			List<LockRequest> requests = List.of(named("a").waitTime(Duration.ofMillis(50)), named("b"), named("c"));
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> one().acquireAll(requests))
				.withMessageContaining(name() + "b");
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> Actor.resultOf(one().acquireAllAsync(requests)));
			assertThat(isFree("a") && isFree("c")).isTrue();
		}
		assertNothingLeft();
	}

	@Test
	default void takesANameThatOccursTwiceOnceAndExclusivelyIfAnyAsksForThat() throws InterruptedException {
		LockRequest read = named("a").type(LockType.READ);
		try (LockHandle both = one().acquireAll(List.of(read, named("a").type(LockType.WRITE), read))) {
			assertThat(both.parts()).hasSize(1);
			assertThat(both.type()).isEqualTo(LockType.WRITE);
		}
		assertNothingLeft();
	}

	@Test
	default void mixesTypes() throws InterruptedException {
		LockRequest read = named("a").type(LockType.READ);
		List<LockRequest> mixed = List.of(read, named("b").type(LockType.WRITE), named("c"));
		try (LockHandle all = one().acquireAll(mixed); LockHandle reader = two().acquire(read)) {
			assertThat(all.parts()).extracting(LockHandle::type)
				.containsExactly(LockType.READ, LockType.WRITE, LockType.REENTRANT);
			assertThat(reader.isValid()).isTrue();
			assertThat(isFree("a") || isFree("b") || isFree("c")).isFalse();
		}
		assertNothingLeft();
	}

	@Test
	default void doesNotDeadlockHoweverTheLocksAreNamed() {
		HotKeySemantics.Critical section = new HotKeySemantics.Critical();
		List<Future<?>> works = new ArrayList<>();
		List<LockRequest> requests = List.of(named("a"), named("b"), named("c"));
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? one() : two();
			List<LockRequest> order = List.of(requests.get(i % 3), requests.get((i + 1) % 3),
					requests.get((i + 2) % 3));
			works.add(actor().begin(() -> {
				for (int round = 0; round < 60; round++) {
					try (LockHandle all = registry.acquireAll(order)) {
						section.enter(all.parts().get(1));
					}
				}
			}));
		}
		works.forEach(Actor::resultOf);
		assertNothingLeft();
	}

	@Test
	default void beginsFixedLeasesWhenAllAreTaken() throws Exception {
		Duration lease = Duration.ofSeconds(30);
		Duration wait = Duration.ofSeconds(1);
		LockHandle held = two().acquire(named("b"));
		Actor asker = actor();
		Future<LockHandle> asked = asker
			.ask(() -> one().acquireAll(List.of(named("a").leaseTime(lease), named("b").leaseTime(lease))));
		await().until(
				() -> one().held().stream().anyMatch((part) -> part.remainingLease().compareTo(lease.minus(wait)) < 0));
		held.close();
		LockHandle all = Actor.resultOf(asked);
		Duration first = all.parts().get(0).remainingLease();
		assertThat(first).isGreaterThan(all.parts().get(1).remainingLease().minus(wait.dividedBy(4)));
		asker.run(all::close);
		assertNothingLeft();
	}

	@Test
	default void releasesTheOthersWhenOneWasLost() throws InterruptedException {
		LockHandle all = one().acquireAll(List.of(named("a"), named("b").leaseTime(SHORT_LEASE), named("c")));
		await().until(() -> events().losses.size() == 1);
		assertThat(all.isValid()).isFalse();
		assertThat(all.parts().get(0).isValid()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::close).withMessageContaining(name() + "b");
		assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
		assertNothingLeft();
	}

	@Test
	default void takesAllWithoutAThreadAndReleasesThemOnAnother() {
		LockHandle all = Actor.resultOf(one().acquireAllAsync(List.of(named("a"), named("b"))));
		assertThat(isFree("a") || isFree("b")).isFalse();
		Actor.resultOf(all.releaseAsync().toCompletableFuture());
		assertThat(isFree("a") && isFree("b")).isTrue();
		assertNothingLeft();
	}

	@Test
	default void keepsNothingOfACancelledRequest() throws InterruptedException {
		try (LockHandle held = two().acquire(named("b"))) {
			CompletableFuture<LockHandle> asked = one().acquireAllAsync(List.of(named("a"), named("b")));
			awaitWaiting(one(), 1);
			asked.cancel(false);
			await().until(() -> isFree("a"));
			awaitWaiting(one(), 0);
		}
		assertNothingLeft();
	}

	@Test
	default void keepsNothingOfAnInterruptedRequest() throws InterruptedException {
		try (LockHandle held = two().acquire(named("b"))) {
			Actor asker = actor();
			Future<?> asked = asker.begin(() -> one().acquireAll(List.of(named("a"), named("b"))));
			awaitWaiting(one(), 1);
			asker.interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(asked));
			// The interrupt may have come before the first of the locks was granted.
			await().until(() -> isFree("a"));
		}
		assertNothingLeft();
	}

	@Test
	default void takesEachLockForItsOwner() throws InterruptedException {
		LockOwner x = LockOwner.create("x");
		LockOwner y = LockOwner.create("y");
		List<LockRequest> requests = List.of(named("b").owner(y), named("a").owner(x));
		try (LockHandle again = one().acquire(named("a").owner(x)); LockHandle all = one().acquireAll(requests)) {
			assertThat(all.parts()).extracting(LockHandle::owner).containsExactly(x, y);
			assertThat(isFree("a") || isFree("b")).isFalse();
		}
		try (LockHandle all = Actor.resultOf(one().acquireAllAsync(requests))) {
			assertThat(all.parts()).extracting(LockHandle::owner).containsExactly(x, y);
		}
		assertNothingLeft();
	}

	@Test
	default void takesAllLocksForTheOnlyOwner() throws InterruptedException {
		LockOwner owner = LockOwner.create("x");
		try (LockHandle all = one().acquireAll(List.of(named("a"), named("b").owner(owner)))) {
			assertThat(all.parts()).extracting(LockHandle::owner).containsExactly(owner, owner);
		}
		assertNothingLeft();
	}

	@Test
	default void refusesNoLocksAndOwnersThatAreNotClear() {
		LockRequest a = named("a").owner(LockOwner.create("x"));
		LockRequest b = named("b").owner(LockOwner.create("y"));
		assertThatIllegalArgumentException().isThrownBy(() -> one().acquireAll(List.of()));
		assertThatIllegalArgumentException().isThrownBy(() -> one().acquireAll(List.of(a, b, named("c"))))
			.withMessageContaining("x#")
			.withMessageContaining("y#");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> one().acquireAll(List.of(a, named("a").owner(LockOwner.create("y")))))
			.withMessageContaining("x#")
			.withMessageContaining("y#");
	}

}
