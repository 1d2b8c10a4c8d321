package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link NaturalOrder}.
 */
class NaturalOrderTests {

	@Test
	void comparesNumbersByValue() {
		List<String> ordered = List.of("a", "a1", "a2", "a10", "a10b", "a11", "A12", "a0123456789012345678901",
				"a1123456789012345678901", "b:9", "b:10:2", "b:10:11", "order", "order:1");
		List<String> sorted = new ArrayList<>(ordered);
		Collections.reverse(sorted);
		sorted.sort(NaturalOrder.INSTANCE);
		assertThat(sorted).isEqualTo(ordered);
	}

	@Test
	void distinguishesDifferentTexts() {
		assertThat(NaturalOrder.INSTANCE.compare("a01", "a1")).isNotZero();
		assertThat(NaturalOrder.INSTANCE.compare("A", "a")).isNotZero();
		assertThat(NaturalOrder.INSTANCE.compare("a1", "a1")).isZero();
	}

}
