package io.lockstarter.dashboard;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LastHourTests {

	private final Time time = new Time();

	private final LastHour hour = new LastHour(this.time);

	@Test
	void forgetsWhatIsOlderThanAnHour() {
		this.hour.count();
		this.hour.count();
		this.time.passes(Duration.ofMinutes(30));
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(3);
		this.time.passes(Duration.ofMinutes(29));
		assertThat(this.hour.total()).isEqualTo(3);
		this.time.passes(Duration.ofMinutes(1));
		assertThat(this.hour.total()).isEqualTo(1);
		this.time.passes(Duration.ofMinutes(30));
		assertThat(this.hour.total()).isZero();
	}

	@Test
	void forgetsAllAfterAnyNumberOfHours() {
		this.hour.count();
		this.time.passes(Duration.ofDays(400));
		assertThat(this.hour.total()).isZero();
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(1);
	}

	@Test
	void reportsNoTroubleThatIsOlderThanAnHour() {
		Troubles troubles = new Troubles(this.time);
		troubles.notAcquired(LockRequest.of("order:42").waitTime(Duration.ofSeconds(1)), LockListener.Outcome.TIMEOUT,
				Duration.ofSeconds(1));
		this.time.passes(Duration.ofMinutes(59));
		assertThat(troubles.incidents(null)).singleElement()
			.satisfies((incident) -> assertThat(incident.agoMillis()).isEqualTo(Duration.ofMinutes(59).toMillis()));
		this.time.passes(Duration.ofMinutes(1));
		assertThat(troubles.incidents(null)).isEmpty();
	}

	@Test
	void goesOnCountingWhenTheClockIsSetBack() {
		this.hour.count();
		this.time.passes(Duration.ofMinutes(-90));
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(2);
	}

	/**
	 * A clock that is moved by hand.
	 */
	private static final class Time extends Clock {

		private Instant now = Instant.parse("2026-01-02T03:04:05Z");

		void passes(Duration time) {
			this.now = this.now.plus(time);
		}

		@Override
		public Instant instant() {
			return this.now;
		}

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			throw new UnsupportedOperationException();
		}

	}

}
