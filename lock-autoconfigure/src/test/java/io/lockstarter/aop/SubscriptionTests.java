package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for many subscriptions to a locked publisher at once.
 */
class SubscriptionTests {

	private static final int SUBSCRIPTIONS = 1000;

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMinutes(1), Duration.ofSeconds(30), null, false, 64), List.of());

	private final LockedBeans beans = new LockedBeans(this.registry);

	private final Service service = this.beans.bean(Service.class);

	@AfterEach
	void close() {
		this.beans.close();
		this.registry.close();
	}

	@Test
	void eachRunsAloneUnderItsKey() throws Exception {
		CountDownLatch done = new CountDownLatch(SUBSCRIPTIONS);
		for (int i = 0; i < SUBSCRIPTIONS; i++) {
			this.service.run(i % 10)
				.subscribeOn(Schedulers.parallel())
				.doFinally((signal) -> done.countDown())
				.subscribe();
		}
		assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
		assertThat(this.service.overlaps()).isZero();
		nothingIsLeft();
	}

	@Test
	void cancellationAtAnyTimeLeavesNothingBehind() {
		Random random = new Random(42);
		List<Disposable> subscriptions = new ArrayList<>();
		for (int i = 0; i < SUBSCRIPTIONS; i++) {
			Disposable subscription = this.service.run(i % 10).subscribeOn(Schedulers.parallel()).subscribe();
			subscriptions.add(subscription);
			long after = random.nextInt(20_000);
			Schedulers.parallel().schedule(subscription::dispose, after, TimeUnit.MICROSECONDS);
		}
		await().until(() -> subscriptions.stream().allMatch(Disposable::isDisposed));
		assertThat(this.service.overlaps()).isZero();
		nothingIsLeft();
	}

	private void nothingIsLeft() {
		await().until(() -> this.registry.waitingCount() == 0 && this.registry.heldCount() == 0);
	}

	static class Service {

		private final ConcurrentHashMap<Integer, AtomicInteger> running = new ConcurrentHashMap<>();

		private final AtomicInteger overlaps = new AtomicInteger();

		public int overlaps() {
			return this.overlaps.get();
		}

		@DistributedLock(key = "#key")
		public Mono<Integer> run(int key) {
			AtomicInteger count = this.running.computeIfAbsent(key, (absent) -> new AtomicInteger());
			return Mono.defer(() -> {
				if (count.incrementAndGet() > 1) {
					this.overlaps.incrementAndGet();
				}
				// Before the signal goes on, since the release follows it.
				AtomicBoolean ended = new AtomicBoolean();
				Runnable end = () -> {
					if (ended.compareAndSet(false, true)) {
						count.decrementAndGet();
					}
				};
				return Mono.delay(Duration.ofNanos(200_000)).thenReturn(key).doOnTerminate(end).doOnCancel(end);
			});
		}

	}

}
