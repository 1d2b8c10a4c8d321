package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link EngineSettings}.
 */
class EngineSettingsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@Test
	void acceptsTheBounds() {
		assertThatNoException()
			.isThrownBy(() -> new EngineSettings("one", Duration.ZERO, Duration.ofMillis(100), null, false, 0));
		assertThatNoException().isThrownBy(() -> new EngineSettings("one", LockRequest.FOREVER, LEASE, LEASE, true, 0));
	}

	@Test
	void refusesANegativeWaitTime() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EngineSettings("one", Duration.ofMillis(-1), LEASE, null, false, 0))
			.withMessageContaining("wait time")
			.withMessageContaining("PT-0.001S");
	}

	@Test
	void refusesALeaseTooShortToWorkWith() {
		for (Duration lease : new Duration[] { Duration.ofMillis(99), Duration.ZERO, LEASE.negated(),
				Duration.ofDays(366) }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new EngineSettings("one", Duration.ZERO, lease, null, false, 0))
				.withMessageMatching("The lease time must be at least 100ms and at most 365d but is -?\\d+(ms|s|d)");
		}
	}

	@Test
	void refusesALongestHoldTimeShorterThanTheLease() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EngineSettings("one", Duration.ZERO, LEASE, LEASE.minusMillis(1), false, 0))
			.withMessageContaining("maximum hold time")
			.withMessageContaining("PT30S");
	}

}
