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

/**
 * Tests of {@link LastHour}.
 */
class LastHourTests {

	private final Time time = new Time();

	private final LastHour hour = new LastHour(this.time);

	@Test
	void dropsEventsAfterOneHour() {
		this.hour.count();
		this.hour.count();
		this.time.advance(Duration.ofMinutes(30));
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(3);
		this.time.advance(Duration.ofMinutes(29));
		assertThat(this.hour.total()).isEqualTo(3);
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.hour.total()).isEqualTo(1);
		this.time.advance(Duration.ofMinutes(30));
		assertThat(this.hour.total()).isZero();
	}

	@Test
	void dropsAllEventsAfterManyHours() {
		this.hour.count();
		this.time.advance(Duration.ofDays(400));
		assertThat(this.hour.total()).isZero();
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(1);
	}

	@Test
	void reportsNoIncidentOlderThanOneHour() {
		IncidentRecorder recorder = new IncidentRecorder(this.time);
		recorder.notAcquired(LockRequest.of("order:42").waitTime(Duration.ofSeconds(1)), LockListener.Outcome.TIMEOUT,
				Duration.ofSeconds(1));
		this.time.advance(Duration.ofMinutes(59));
		assertThat(recorder.incidents(null)).singleElement()
			.satisfies((incident) -> assertThat(incident.agoMillis()).isEqualTo(Duration.ofMinutes(59).toMillis()));
		this.time.advance(Duration.ofMinutes(1));
		assertThat(recorder.incidents(null)).isEmpty();
	}

	@Test
	void continuesCountingWhenClockIsSetBack() {
		this.hour.count();
		this.time.advance(Duration.ofMinutes(-90));
		this.hour.count();
		assertThat(this.hour.total()).isEqualTo(2);
	}

	/**
	 * Clock that the test controls.
	 */
	private static final class Time extends Clock {

		private Instant now = Instant.parse("2026-01-02T03:04:05Z");

		void advance(Duration time) {
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
