package io.lockstarter.engine.event;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RenewalNotifier}.
 */
class RenewalNotifierTests {

	private final List<Runnable> scheduled = new ArrayList<>();

	private final List<Integer> published = new CopyOnWriteArrayList<>();

	private final RenewalNotifier notifier = new RenewalNotifier(this.scheduled::add);

	@AfterEach
	void close() {
		this.notifier.close();
	}

	@Test
	void publishesABatchInOrderAndThenTheNext() {
		publish(1, 2, 3);
		assertThat(this.scheduled).hasSize(1);
		assertThat(this.published).isEmpty();
		this.scheduled.get(0).run();
		await().until(() -> this.published.size() == 3);
		publish(4, 5);
		assertThat(this.scheduled).hasSize(2);
		this.scheduled.get(1).run();
		await().until(() -> this.published.size() == 5);
		assertThat(this.published).isSorted();
	}

	@Test
	void publishesWhatIsQueuedWhenClosed() {
		publish(1, 2, 3);
		this.notifier.close();
		await().until(() -> this.published.size() == 3);
		assertThat(this.published).isSorted();
	}

	private void publish(int... events) {
		IntStream.of(events).forEach((event) -> this.notifier.publish(() -> this.published.add(event)));
	}

}
