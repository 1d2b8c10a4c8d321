package io.lockstarter.redis.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link SerialExecutors}.
 */
class SerialExecutorsTests {

	private final SerialExecutors executors = new SerialExecutors("test-serial");

	private final Queue<Integer> ran = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.executors.close();
	}

	@Test
	void tasksFollowOneThatThrowsAnError() {
		CountDownLatch begin = new CountDownLatch(1);
		this.executors.run("lane", () -> {
			await().until(() -> begin.getCount() == 0);
			throw new OutOfMemoryError("planted");
		});
		for (int i = 0; i < 3; i++) {
			int number = i;
			this.executors.run("lane", () -> this.ran.add(number));
		}
		begin.countDown();
		// Otherwise the wait may end with the planted error, which no test survives
		await().dontCatchUncaughtExceptions().untilAsserted(() -> assertThat(this.ran).containsExactly(0, 1, 2));
		this.executors.run("lane", () -> this.ran.add(3));
		await().dontCatchUncaughtExceptions().untilAsserted(() -> assertThat(this.ran).containsExactly(0, 1, 2, 3));
	}

}
