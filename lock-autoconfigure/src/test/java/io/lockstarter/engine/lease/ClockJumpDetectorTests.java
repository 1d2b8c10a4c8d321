package io.lockstarter.engine.lease;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClockJumpDetector}.
 */
class ClockJumpDetectorTests {

	private static final long MILLI = 1_000_000;

	private long nanos = Long.MIN_VALUE;

	private long millis = 1_000_000;

	private long readingTakes;

	private int noticed;

	private final ClockJumpDetector leaps = new ClockJumpDetector(() -> {
		this.nanos += this.readingTakes;
		return this.nanos;
	}, () -> this.millis, () -> this.noticed++);

	@BeforeEach
	void lookOnce() {
		this.leaps.check();
	}

	@Test
	void noticesNothingWhileBothClocksGoOn() {
		for (int i = 0; i < 1000; i++) {
			pass(100, 100);
		}
		assertThat(this.noticed).isZero();
	}

	@Test
	void noticesOnceThatTheWallClockWentOnAlone() {
		pass(100, 100);
		pass(0, 60_000);
		assertThat(this.noticed).isEqualTo(1);
		pass(100, 100);
		assertThat(this.noticed).isEqualTo(1);
	}

	@Test
	void noticesThatTheWallClockIsFast() {
		for (int i = 0; i < 500; i++) {
			pass(100, 101);
		}
		assertThat(this.noticed).isBetween(8, 10);
	}

	@Test
	void noticesNothingWhileTheWallClockGoesOnInSteps() {
		for (int i = 0; i < 1000; i++) {
			pass(13, (13 * (i + 1) / 16 - 13 * i / 16) * 16);
		}
		assertThat(this.noticed).isZero();
	}

	@Test
	void noticesALeapAfterTheWallClockWasSetBack() {
		pass(100, -3_600_000);
		assertThat(this.noticed).isZero();
		pass(100, 200);
		assertThat(this.noticed).isEqualTo(1);
	}

	@Test
	void believesNoLookThatWasInterrupted() {
		this.readingTakes = 500 * MILLI;
		pass(0, 500);
		this.readingTakes = 0;
		assertThat(this.noticed).isZero();
	}

	private void pass(long monotonic, long wall) {
		this.nanos += monotonic * MILLI;
		this.millis += wall;
		this.leaps.check();
	}

}
