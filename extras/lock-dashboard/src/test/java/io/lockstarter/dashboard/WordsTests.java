package io.lockstarter.dashboard;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Words}.
 */
class WordsTests {

	@ParameterizedTest
	@CsvSource({ "-1, 0 s", "0, 0 s", "1, < 1 s", "999, < 1 s", "1000, 1 s", "59999, 59 s", "60000, 1 min 0 s",
			"105000, 1 min 45 s", "3599999, 59 min 59 s", "3600000, 1 h 0 min", "172799999, 47 h 59 min",
			"172800000, 2 d 0 h" })
	void formatsDuration(long millis, String text) {
		assertThat(Words.duration(millis)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0 locks", "1, 1 lock", "2, 2 locks" })
	void formatsCount(long number, String text) {
		assertThat(Words.count(number, "lock", "locks")).isEqualTo(text);
	}

}
