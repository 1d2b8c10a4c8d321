package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.lease.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who waits for a name in one JVM.
 */
class LocalQueueTests {

	private static final Moment START = new Moment(1_000_000_000, 1_000);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final LocalQueue queue = new LocalQueue();

	@Test
	void nextHeadIsOvertakenByItsOwnLimit() {
		Waiter first = waiter("first");
		this.queue.add(first, START);
		this.queue.add(waiter("next"), START);
		this.queue.barging().beginSignal();
		Moment later = START.plus(LEASE);
		assertThat(this.queue.barging().isReached(later)).isTrue();

		this.queue.remove(first, later);

		assertThat(this.queue.barging().isReached(later)).isFalse();
		assertThat(this.queue.barging().beginSignal()).isTrue();
	}

	@Test
	void isUsedAgainAfterItWasEmpty() {
		Waiter first = waiter("first");
		this.queue.add(first, START);

		assertThat(this.queue.remove(first, START)).isTrue();
		assertThat(this.queue.remove(first, START)).isFalse();
		assertThat(this.queue.head()).isNull();
		assertThat(this.queue.of(first.owner())).isEmpty();

		this.queue.add(first, START);

		assertThat(this.queue.head()).isSameAs(first);
		assertThat(this.queue.of(first.owner())).containsExactly(first);
	}

	private static Waiter waiter(String label) {
		return new WalkWaiter(label, LockRequest.of("lock").waitTime(LEASE), LockOwner.create(label), LEASE, true,
				START);
	}

}
