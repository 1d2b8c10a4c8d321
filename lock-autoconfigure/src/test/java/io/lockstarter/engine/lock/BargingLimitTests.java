package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.engine.lease.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long running threads may overtake the head of a queue.
 */
class BargingLimitTests {

	private static final Duration LONGEST = Duration.ofNanos(200_000);

	private static final Moment START = new Moment(1_000_000_000, 1_000);

	private final BargingLimit limit = new BargingLimit(START);

	@Test
	void isReachedAfterANumber() {
		for (int i = 0; i < 256; i++) {
			assertThat(this.limit.isReached(START)).isFalse();
			this.limit.barge();
		}
		assertThat(this.limit.isReached(START)).isTrue();
	}

	@Test
	void isReachedAfterATime() {
		assertThat(this.limit.isReached(START.plus(LONGEST.minusNanos(1)))).isFalse();
		assertThat(this.limit.isReached(START.plus(LONGEST))).isTrue();
	}

	@Test
	void signalsTheHeadOnce() {
		assertThat(this.limit.beginSignal()).isTrue();
		assertThat(this.limit.beginSignal()).isFalse();
	}

	/** Otherwise it would wait for a release, and everybody else behind it. */
	@Test
	void theHeadThatWasSignalledLooksUntilItMayTakeWhatIsOnOffer() {
		this.limit.barge();
		assertThat(this.limit.check(true, START)).isBetween(1L, LONGEST.toNanos());
		assertThat(this.limit.check(false, START)).isBetween(1L, LONGEST.toNanos());
		assertThat(this.limit.check(true, START)).isZero();
		this.limit.barge();
		assertThat(this.limit.check(true, START.plus(LONGEST))).isZero();
		this.limit.barge();
		assertThat(this.limit.check(false, START.plus(LONGEST))).isEqualTo(Long.MAX_VALUE);
	}

}
