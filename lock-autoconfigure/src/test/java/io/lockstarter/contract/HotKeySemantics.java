package io.lockstarter.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for a name that everybody wants, however it goes from hand to hand.
 */
interface HotKeySemantics extends TwoRegistries {

	@Test
	default void excludesThreadsOfTwoInstancesThatComeAndGoInEveryWay() {
		Critical section = new Critical();
		List<Future<Integer>> works = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			works.add(actor().ask(() -> blocking(one(), section, 1500 * effort())));
			works.add(actor().ask(() -> blocking(two(), section, 200 * effort())));
		}
		works.add(actor().ask(() -> impatient(one(), section, 1500 * effort())));
		works.add(actor().ask(() -> asynchronous(one(), section, 300 * effort())));
		works.add(actor().ask(() -> fixedLease(one(), section, 100 * effort())));
		works.add(actor().ask(() -> cancelling(one(), section, 300 * effort())));
		int entered = works.stream().mapToInt(this::resultOf).sum();
		assertThat(section.entered).isEqualTo(entered);
		assertThat(entered).isGreaterThanOrEqualTo((4 * 1700 + 300 + 100) * effort());
		StressSummary.HOLDS_CHECKED.add(entered);
		assertThat(events().losses).isEmpty();
		assertNothingLeft();
	}

	private int blocking(DefaultLockRegistry registry, Critical section, int rounds) throws InterruptedException {
		for (int i = 0; i < rounds; i++) {
			try (LockHandle handle = registry.acquire(request().waitTime(LockRequest.FOREVER))) {
				section.enter(handle);
			}
		}
		return rounds;
	}

	private int impatient(DefaultLockRegistry registry, Critical section, int rounds) throws InterruptedException {
		NamedLock lock = registry.get(name());
		int entered = 0;
		for (int i = 0; i < rounds; i++) {
			if (lock.tryLock(ThreadLocalRandom.current().nextInt(300), TimeUnit.MICROSECONDS)) {
				section.enter(lock.fencingToken());
				lock.unlock();
				entered++;
			}
		}
		return entered;
	}

	private int asynchronous(DefaultLockRegistry registry, Critical section, int rounds) {
		for (int i = 0; i < rounds; i++) {
			LockRequest request = request().owner(LockOwner.create("task")).waitTime(LockRequest.FOREVER);
			Actor.resultOf(registry.acquireAsync(request).thenCompose((handle) -> {
				section.enter(handle);
				return handle.releaseAsync();
			}));
		}
		return rounds;
	}

	private int fixedLease(DefaultLockRegistry registry, Critical section, int rounds) throws InterruptedException {
		for (int i = 0; i < rounds; i++) {
			try (LockHandle handle = registry.acquire(request().leaseTime(LEASE).waitTime(LockRequest.FOREVER))) {
				section.enter(handle);
			}
		}
		return rounds;
	}

	private int cancelling(DefaultLockRegistry registry, Critical section, int rounds) {
		int entered = 0;
		for (int i = 0; i < rounds; i++) {
			CompletableFuture<LockHandle> request = registry.acquireAsync(request());
			if (ThreadLocalRandom.current().nextBoolean()) {
				Thread.yield();
			}
			if (!request.cancel(false) && !request.isCancelled()) {
				LockHandle handle = Actor.resultOf(request);
				section.enter(handle);
				handle.close();
				entered++;
			}
		}
		return entered;
	}

	/** However busy one instance is with a lock, others get it in the time they have. */
	@Test
	default void letsAnotherInstanceInWhileTheThreadsOfOneKeepTheLockBusy() throws InterruptedException {
		AtomicBoolean enough = new AtomicBoolean();
		Critical section = new Critical();
		List<Future<?>> busy = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			busy.add(actor().begin(() -> {
				while (!enough.get()) {
					blocking(one(), section, 1);
				}
			}));
		}
		for (int i = 0; i < 30; i++) {
			try (LockHandle handle = two().acquire(request())) {
				section.enter(handle);
			}
		}
		enough.set(true);
		busy.forEach(Actor::resultOf);
		assertNothingLeft();
	}

	/**
	 * What only one may be in at a time: unguarded, so that an overlap spoils it.
	 */
	final class Critical {

		private int entered;

		private long lastToken;

		void enter(LockHandle handle) {
			assertThat(handle.isValid()).isTrue();
			enter(handle.fencingToken());
		}

		void enter(long token) {
			assertThat(token).isGreaterThan(this.lastToken);
			this.lastToken = token;
			this.entered++;
		}

	}

}
