package io.lockstarter.sample.board;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Histogram}.
 */
class HistogramTests {

	@Test
	void countsDurationBelowTheNextBound() {
		Histogram histogram = new Histogram();
		histogram.add(Duration.ZERO);
		histogram.add(Duration.ofNanos(999_999));
		histogram.add(Duration.ofMillis(1));
		histogram.add(Duration.ofMillis(9999));
		histogram.add(Duration.ofMillis(10_000));
		histogram.add(Duration.ofDays(1));
		assertThat(histogram.counts()).containsExactly(2L, 1L, 0L, 0L, 0L, 0L, 0L, 1L, 2L);
	}

}
