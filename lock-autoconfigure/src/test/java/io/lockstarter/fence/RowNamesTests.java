package io.lockstarter.fence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RowNames}.
 */
class RowNamesTests {

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "Straße 5", "😀", "a b", "' OR '1'='1" })
	void areNamesOfLocks(String name) {
		assertThat(RowNames.of(name, null)).isEqualTo(name);
	}

	@Test
	void tellRegistriesApart() {
		assertThat(RowNames.of("a", "default")).isEqualTo(RowNames.of("a", null)).isEqualTo("a");
		assertThat(RowNames.of("a", "billing")).isEqualTo("[billing]a");
		assertThat(RowNames.of("[billing]a", null)).isEqualTo("[][billing]a");
		assertThat(RowNames.of("[x", "default")).isEqualTo("[][x");
	}

	@Test
	void endWithDigestWhereTheyAreTooLong() {
		String name = "order:" + "x".repeat(249);
		assertThat(RowNames.of(name, null)).isEqualTo(name);
		String one = RowNames.of(name + "1", null);
		assertThat(one).hasSizeLessThanOrEqualTo(255)
			.startsWith("order:xxx")
			.isEqualTo(RowNames.of(name + "1", null))
			.isNotEqualTo(RowNames.of(name + "2", null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\0b", "a\tb", "a\ud83d", "\ude00a", "a " })
	void endWithDigestWhereColumnsCannotStoreThem(String name) {
		assertThat(RowNames.of(name, null)).matches("[ab?]{2,3}#[\\w-]{43}");
	}

	@Test
	void doNotCutCharactersInHalf() {
		assertThat(RowNames.of("x".repeat(199) + "😀".repeat(50), null)).startsWith("x".repeat(199) + "?#");
	}

}
