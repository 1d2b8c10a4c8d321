package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of methods whose result is a {@link Future} that tells nobody when it is done.
 */
class PlainFutureTests {

	private static final int CALLS = 300;

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofSeconds(20), Duration.ofMinutes(1), null, false, 64), List.of());

	private final LockedBeans beans = new LockedBeans(this.registry);

	private final Shop shop = this.beans.bean(Shop.class);

	@AfterEach
	void close() {
		this.beans.close();
		this.registry.close();
	}

	@Test
	void manyPendingResultsTakeOneThread() throws Exception {
		List<FutureTask<String>> works = new ArrayList<>();
		List<Future<String>> results = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			FutureTask<String> work = new FutureTask<>(() -> "done");
			works.add(work);
			results.add(this.shop.ship(i, work));
		}
		await().until(() -> this.registry.heldCount() == CALLS);
		assertThat(threads()).isLessThanOrEqualTo(1);
		for (int i = CALLS - 1; i > 0; i--) {
			works.get(i).run();
			assertThat(results.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("done");
		}
		assertThat(this.registry.heldCount()).isEqualTo(1);
		works.get(0).run();
		assertThat(results.get(0).get(20, TimeUnit.SECONDS)).isEqualTo("done");
		await().until(() -> this.registry.heldCount() == 0);
		await().until(() -> threads() == 0);
	}

	@Test
	void failureAndCancellationArePassedOn() throws Exception {
		FutureTask<String> failing = new FutureTask<>(() -> {
			throw new IllegalStateException("planted");
		});
		FutureTask<String> cancelled = new FutureTask<>(() -> "done");
		Future<String> failure = this.shop.ship(1, failing);
		Future<String> cancellation = this.shop.ship(2, cancelled);
		await().until(() -> this.registry.heldCount() == 2);
		failing.run();
		cancelled.cancel(false);
		assertThat(failure).failsWithin(20, TimeUnit.SECONDS)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalStateException.class);
		await().until(cancellation::isDone);
		await().until(() -> this.registry.heldCount() == 0);
	}

	/** A future that throws where it should answer is done, for all that is known. */
	@Test
	void futureThatThrowsKeepsNobodyElseWaiting() throws Exception {
		FutureTask<String> work = new FutureTask<>(() -> "done");
		Future<String> broken = this.shop.ship(1, new FutureTask<>(() -> "never") {

			@Override
			public String get(long timeout, TimeUnit unit) {
				throw new NoClassDefFoundError("planted");
			}

			@Override
			public String get() {
				throw new NoClassDefFoundError("planted");
			}

		});
		Future<String> result = this.shop.ship(2, work);
		assertThat(broken).failsWithin(20, TimeUnit.SECONDS);
		work.run();
		assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo("done");
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-future"))
			.count();
	}

	static class Shop {

		@DistributedLock(key = "#number")
		public Future<String> ship(int number, Future<String> work) {
			return work;
		}

	}

}
