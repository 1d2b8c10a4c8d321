package io.lockstarter.timer;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Timer}.
 */
class TimerTests {

	private static final long MILLI = 1_000_000;

	private final AtomicInteger looks = new AtomicInteger();

	private final AtomicInteger rounds = new AtomicInteger();

	/**
	 * Of its own, since the thread of another test's timer lives until its tasks are
	 * done.
	 */
	private final String name = "timer-under-test-" + UUID.randomUUID();

	private final Timer timer = new Timer(this.name, this.looks::incrementAndGet, this.rounds::incrementAndGet);

	@AfterEach
	void close() {
		this.timer.close();
	}

	@Test
	void runsTasksInTheOrderOfTheirTimes() {
		List<Integer> delays = new ArrayList<>(IntStream.range(0, 100).boxed().toList());
		Collections.shuffle(delays, new Random(1));
		List<Integer> ran = new CopyOnWriteArrayList<>();
		long start = System.nanoTime() + 50 * MILLI;
		delays.forEach((delay) -> this.timer.at(start + delay * MILLI / 2, () -> ran.add(delay)));
		await().until(() -> ran.size() == 100);
		assertThat(ran).isSorted();
	}

	@Test
	void runsTasksOfTheSameTimeInTheOrderTheyWereAdded() {
		List<Integer> ran = new CopyOnWriteArrayList<>();
		long due = System.nanoTime() + 20 * MILLI;
		for (int i = 0; i < 100; i++) {
			int number = i;
			this.timer.at(due, () -> ran.add(number));
		}
		await().until(() -> ran.size() == 100);
		assertThat(ran).isSorted();
	}

	@Test
	void hasCaughtUpWhenWhatIsUrgentAndItsRoundAreDone() {
		AtomicInteger ran = new AtomicInteger();
		for (int i = 1; i <= 2000; i++) {
			int before = this.rounds.get();
			this.timer.urgentlyAt(System.nanoTime(), ran::incrementAndGet);
			this.timer.caughtUp().join();
			assertThat(ran).hasValue(i);
			assertThat(this.rounds.get()).isGreaterThan(before);
		}
	}

	@Test
	void runsNoTaskEarlyAndNoneTwice() {
		List<Long> errors = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 200; i++) {
			long due = System.nanoTime() + i % 20 * MILLI;
			this.timer.at(due, () -> errors.add(System.nanoTime() - due));
		}
		await().until(() -> errors.size() >= 200);
		assertThat(errors).hasSize(200).allSatisfy((late) -> assertThat(late).isNotNegative());
		assertThat(this.timer.size()).isZero();
	}

	@Test
	void runsATaskThatIsAddedBeforeAllOthersWhileItSleeps() {
		AtomicBoolean later = new AtomicBoolean();
		AtomicBoolean sooner = new AtomicBoolean();
		this.timer.in(Duration.ofHours(1).toNanos(), () -> later.set(true));
		awaitSleep();
		this.timer.in(MILLI, () -> sooner.set(true));
		await().untilTrue(sooner);
		assertThat(later).isFalse();
	}

	@Test
	void missesNoTaskWhateverTheMomentItIsAddedAt() {
		AtomicInteger ran = new AtomicInteger();
		for (int i = 1; i <= 5000; i++) {
			this.timer.in(i % 7 * 1000, ran::incrementAndGet);
			if (i % 50 == 0) {
				int expected = i;
				await().pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofNanos(20_000))
					.until(() -> ran.get() == expected);
			}
		}
	}

	@Test
	void isNotWokenByATaskThatIsNotTheNext() {
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		});
		awaitSleep();
		long sleeps = sleeps();
		for (int i = 0; i < 10_000; i++) {
			this.timer.in(Duration.ofHours(2).toNanos() + i, () -> {
			}).cancel();
		}
		// The machine may wake a thread for no reason, but not for each task.
		assertThat(sleeps()).isLessThan(sleeps + 10);
	}

	@Test
	void isNotWokenByTheNextTaskIfItWakesBeforeThat() {
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		});
		awaitSleep();
		long sleeps = sleeps();
		for (int i = 0; i < 200; i++) {
			this.timer.in(Duration.ofMinutes(10).minusSeconds(i).toNanos(), () -> {
			});
			// Long enough for the thread to have gone to sleep again, had it been woken
			LockSupport.parkNanos(MILLI / 5);
		}
		// By itself it wakes ten times in a second.
		assertThat(sleeps()).isLessThan(sleeps + 50);
	}

	/** How often the thread has gone to sleep. */
	private long sleeps() {
		return ManagementFactory.getThreadMXBean().getThreadInfo(thread().getId()).getWaitedCount();
	}

	@Test
	void leavesNothingBehindWhenATaskIsCancelled() {
		AtomicInteger ran = new AtomicInteger();
		for (int i = 0; i < 10_000; i++) {
			this.timer.in(Duration.ofSeconds(10).toNanos(), ran::incrementAndGet).cancel();
		}
		assertThat(this.timer.size()).isZero();
		assertThat(ran).hasValue(0);
	}

	@Test
	void doesNotRunACancelledTask() {
		AtomicBoolean cancelled = new AtomicBoolean();
		AtomicBoolean after = new AtomicBoolean();
		long due = System.nanoTime() + 30 * MILLI;
		Timer.Task task = this.timer.at(due, () -> cancelled.set(true));
		this.timer.at(due + 1, () -> after.set(true));
		task.cancel();
		await().untilTrue(after);
		assertThat(cancelled).isFalse();
	}

	@Test
	void goesOnAfterATaskThatThrows() {
		AtomicInteger ran = new AtomicInteger();
		this.timer.in(0, () -> {
			throw new IllegalStateException("planted");
		});
		this.timer.in(0, () -> {
			throw new AssertionError("planted");
		});
		this.timer.in(MILLI, ran::incrementAndGet);
		await().until(() -> ran.get() == 1);
	}

	@Test
	void letsATaskAddAnother() {
		AtomicInteger ran = new AtomicInteger();
		this.timer.in(0, () -> this.timer.in(0, ran::incrementAndGet));
		await().until(() -> ran.get() == 1);
	}

	@Test
	void closesEachRoundOfDueTasksOnce() throws Exception {
		List<String> order = new CopyOnWriteArrayList<>();
		try (Timer batching = new Timer("batching", () -> {
		}, () -> order.add("end"))) {
			CountDownLatch busy = new CountDownLatch(1);
			CountDownLatch late = new CountDownLatch(1);
			batching.in(0, () -> {
				busy.countDown();
				awaitQuietly(late);
			});
			busy.await();
			long due = System.nanoTime();
			batching.urgentlyAt(due, () -> order.add("task"));
			batching.urgentlyAt(due, () -> order.add("task"));
			late.countDown();
			await().until(() -> order.size() == 3);
			assertThat(order).containsExactly("task", "task", "end");
		}
	}

	/** As on a machine that lets the timer's thread run too seldom. */
	@Test
	void runsWhatIsUrgentBeforeAllElseThatIsDue() throws Exception {
		List<String> order = new CopyOnWriteArrayList<>();
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch late = new CountDownLatch(1);
		try (Timer behind = new Timer("behind", () -> {
		}, () -> order.add("end"))) {
			behind.in(0, () -> {
				busy.countDown();
				awaitQuietly(late);
			});
			busy.await();
			long due = System.nanoTime();
			behind.at(due, () -> order.add("other"));
			behind.at(due + 1, () -> {
				order.add("other");
				behind.urgentlyAt(due, () -> order.add("urgent"));
			});
			behind.at(due + 2, () -> order.add("other"));
			behind.urgentlyAt(due + 3, () -> order.add("urgent"));
			behind.urgentlyAt(due + 4, () -> order.add("urgent"));
			await().until(() -> System.nanoTime() - due > 4);
			late.countDown();
			await().until(() -> order.size() == 8);
			assertThat(order).containsExactly("urgent", "urgent", "end", "other", "other", "urgent", "end", "other");
			assertThat(behind.size()).isZero();
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void looksAgainAndAgainWhileThereIsATask() {
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		});
		int before = this.looks.get();
		await().until(() -> this.looks.get() >= before + 3);
	}

	@Test
	void sleepsOnWhileThereIsNoTask() {
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		}).cancel();
		await().until(() -> thread().getState() == Thread.State.WAITING);
	}

	@Test
	void endsItsThreadWhenClosed() {
		Thread thread = thread();
		this.timer.close();
		await().until(() -> !thread.isAlive());
	}

	@Test
	void doesNotLiveOnForWhatIsFarAway() {
		Thread thread = thread();
		AtomicBoolean soon = new AtomicBoolean();
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		});
		this.timer.in(100 * MILLI, () -> soon.set(true));
		this.timer.close();
		await().until(() -> !thread.isAlive());
		assertThat(soon).isTrue();
		assertThat(this.timer.size()).isZero();
	}

	@Test
	void runsATaskThatIsAddedAfterItsThreadHasEnded() {
		Thread thread = thread();
		this.timer.close();
		await().until(() -> !thread.isAlive());
		for (int i = 1; i <= 3; i++) {
			AtomicBoolean ran = new AtomicBoolean();
			this.timer.in(MILLI, () -> ran.set(true));
			await().untilTrue(ran);
		}
		await().until(() -> threads().isEmpty());
		this.timer.in(Duration.ofHours(1).toNanos(), () -> {
		});
		await().until(() -> this.timer.size() == 0 && threads().isEmpty());
	}

	@Test
	void runsATaskWhateverTheMomentItIsAddedAtWhileItsThreadEnds() {
		AtomicInteger ran = new AtomicInteger();
		this.timer.close();
		for (int i = 1; i <= 5000; i++) {
			this.timer.in(0, ran::incrementAndGet);
			int expected = i;
			await().pollDelay(Duration.ZERO).pollInterval(Duration.ofNanos(20_000)).until(() -> ran.get() == expected);
		}
		await().until(() -> threads().isEmpty());
	}

	private void awaitSleep() {
		await().until(() -> thread().getState() == Thread.State.TIMED_WAITING);
	}

	private Thread thread() {
		return threads().get(0);
	}

	private List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals(this.name))
			.toList();
	}

}
