package io.lockstarter.verification.history.latency;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("stress")
class LossLatencyTests {

	private static final int CASES = 3;

	@Test
	void measuresEveryLoss() {
		try (LossLatency measurement = new LossLatency(1)) {
			assertThat(measurement.afterDeadlines(CASES).getTotalCount()).isEqualTo(CASES);
			assertThat(measurement.afterStops(CASES).getTotalCount()).isEqualTo(CASES);
		}
	}

}
