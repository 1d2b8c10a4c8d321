package io.lockstarter.engine.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Workers}.
 */
class WorkersTests {

	private final ThreadFactory factory = LockThreads.daemons("worker");

	private final AtomicInteger started = new AtomicInteger();

	private final Queue<Throwable> refusals = new ConcurrentLinkedQueue<>();

	private Thread counted(Runnable task) {
		this.started.incrementAndGet();
		return this.factory.newThread(task);
	}

	@Test
	void oneThreadKeepsTheOrder() {
		Workers workers = new Workers(this.factory, 1, 0);
		List<Integer> done = new ArrayList<>();
		CountDownLatch all = new CountDownLatch(1000);
		for (int i = 0; i < 1000; i++) {
			int number = i;
			workers.execute(() -> {
				done.add(number);
				all.countDown();
			}, this.refusals::add);
		}
		await().until(() -> all.getCount() == 0);
		assertThat(done).isSorted().hasSize(1000);
		workers.close();
	}

	@Test
	void idleThreadIsUsedAgain() {
		Workers workers = new Workers(this::counted, 64, 1);
		for (int i = 0; i < 20; i++) {
			CountDownLatch done = new CountDownLatch(1);
			Thread[] worker = new Thread[1];
			workers.execute(() -> {
				worker[0] = Thread.currentThread();
				done.countDown();
			}, this.refusals::add);
			await().until(() -> done.getCount() == 0
					&& List.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(worker[0].getState()));
		}
		assertThat(this.started).hasValue(1);
		workers.close();
	}

	@Test
	void failingTaskDoesNoHarmToTheNext() {
		Workers workers = new Workers(this::counted, 1, 0);
		CountDownLatch done = new CountDownLatch(1);
		workers.execute(() -> {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("planted");
		}, this.refusals::add);
		workers.execute(() -> {
			if (!Thread.currentThread().isInterrupted()) {
				done.countDown();
			}
		}, this.refusals::add);
		await().until(() -> done.getCount() == 0);
		assertThat(this.started).hasValue(1);
		assertThat(this.refusals).isEmpty();
		workers.close();
	}

	@Test
	void taskIsDoneAfterTheEnd() {
		Workers workers = new Workers(this.factory, 2, 1);
		workers.close();
		CountDownLatch done = new CountDownLatch(1);
		workers.execute(done::countDown, this.refusals::add);
		await().until(() -> done.getCount() == 0);
	}

	@Test
	void threadEndsWithTheWorkers() {
		Workers workers = new Workers(this.factory, 2, 1);
		Thread[] worker = new Thread[1];
		workers.execute(() -> worker[0] = Thread.currentThread(), this.refusals::add);
		await().until(() -> worker[0] != null && worker[0].getState() == Thread.State.TIMED_WAITING);
		workers.close();
		await().until(() -> !worker[0].isAlive());
	}

	@Test
	void everyTaskIsDoneOrRefused() {
		AtomicInteger attempts = new AtomicInteger();
		Workers workers = new Workers((task) -> {
			if (attempts.incrementAndGet() % 3 != 0) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return this.factory.newThread(task);
		}, 4, 0);
		AtomicInteger done = new AtomicInteger();
		workers.close();
		// No thread is there that could run it
		workers.execute(done::incrementAndGet, this.refusals::add);
		assertThat(this.refusals).hasSize(1);
		Thread[] callers = new Thread[4];
		for (int i = 0; i < callers.length; i++) {
			callers[i] = this.factory.newThread(() -> {
				for (int n = 0; n < 500; n++) {
					workers.execute(done::incrementAndGet, this.refusals::add);
				}
			});
			callers[i].start();
		}
		await().until(() -> done.get() + this.refusals.size() == 2001);
		assertThat(done.get()).isPositive();
	}

}
