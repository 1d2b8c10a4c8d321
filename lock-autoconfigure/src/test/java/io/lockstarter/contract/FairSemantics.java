package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Who comes first at a fair lock.
 */
public interface FairSemantics extends TwoRegistries {

	/** More than a command takes on a slow machine. */
	Duration LATENCY = Duration.ofMillis(250);

	private LockRequest fair() {
		assumeTrue(types().contains(LockType.FAIR), "fair locks are to be had");
		return request().type(LockType.FAIR).waitTime(LockRequest.FOREVER);
	}

	@Test
	default void grantsAFairLockInOrderOfArrivalInOneInstance() throws InterruptedException {
		grantsInOrder(List.of(one(), one(), one(), one(), one()));
	}

	@Test
	default void grantsAFairLockInOrderOfArrivalOverInstances() throws InterruptedException {
		grantsInOrder(List.of(two(), one(), two(), one()));
	}

	private void grantsInOrder(List<DefaultLockRegistry> arrivals) throws InterruptedException {
		// One that cannot hear of its turn yet is not waited for.
		await().until(() -> EngineInternals.isSubscribed(one()) & EngineInternals.isSubscribed(two()));
		LockHandle first = one().acquire(fair());
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Future<?>> works = new ArrayList<>();
		int[] waiting = new int[2];
		for (int i = 0; i < arrivals.size(); i++) {
			DefaultLockRegistry registry = arrivals.get(i);
			int number = i;
			works.add(actor().begin(() -> {
				try (LockHandle handle = registry.acquire(fair())) {
					order.add(number);
				}
			}));
			awaitWaiting(registry, ++waiting[(registry == one()) ? 0 : 1]);
			if (registry != arrivals.get((i + 1) % arrivals.size())) {
				// The order of arrival is exact to the latency of a command.
				await().pollDelay(LATENCY).until(() -> true);
			}
		}
		await().until(() -> waiting[1] == 0 || EngineInternals.isWanted(one(), name()));
		first.close();
		works.forEach(Actor::resultOf);
		assertThat(order).isSorted().hasSize(arrivals.size());
		assertNothingLeft();
	}

	@Test
	default void isNotOvertakenByAThreadThatComesAgainAndAgain() throws InterruptedException {
		NamedLock lock = one().get(fair());
		lock.lock();
		Actor patient = actor();
		AtomicInteger since = new AtomicInteger();
		AtomicInteger overtaken = new AtomicInteger(-1);
		Future<?> waiting = patient.begin(() -> {
			lock.lock();
			overtaken.set(since.get());
			lock.unlock();
		});
		awaitWaiting(one(), 1);
		lock.unlock();
		while (!waiting.isDone()) {
			assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
			since.incrementAndGet();
			lock.unlock();
		}
		Actor.resultOf(waiting);
		assertThat(overtaken).hasValue(0);
		assertNothingLeft();
	}

	@Test
	default void excludesAllTypesFromOneAnother() {
		for (LockType held : types()) {
			for (LockType asked : types()) {
				if (held.isShared() && asked.isShared()) {
					continue;
				}
				NamedLock holding = one().get(request().type(held));
				holding.lock();
				NamedLock asking = two().get(request().type(asked));
				assertThat(asking.tryLock()).as("%s while %s is held", asked, held).isFalse();
				assertThat(actor().call(() -> one().get(request().type(asked)).tryLock())).isFalse();
				holding.unlock();
			}
		}
		assertNothingLeft();
	}

	@Test
	default void reentersAndHandsOnWhatTypeEverTheOthersAskFor() {
		HotKeySemantics.Critical section = new HotKeySemantics.Critical();
		List<Future<Integer>> works = new ArrayList<>();
		int rounds = 100 * effort();
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? one() : two();
			LockRequest request = fair().type((i < 4) ? LockType.FAIR : LockType.REENTRANT);
			works.add(actor().ask(() -> {
				for (int round = 0; round < rounds; round++) {
					try (LockHandle handle = registry.acquire(request); LockHandle again = registry.acquire(fair())) {
						section.enter(handle);
						assertThat(again.fencingToken()).isEqualTo(handle.fencingToken());
					}
				}
				return rounds;
			}));
		}
		assertThat(works.stream().mapToInt(this::resultOf).sum()).isEqualTo(6 * rounds);
		assertThat(events().losses).isEmpty();
		assertNothingLeft();
	}

}
