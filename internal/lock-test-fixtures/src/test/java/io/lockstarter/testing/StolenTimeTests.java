package io.lockstarter.testing;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StolenTimeTests {

	@Test
	void isSummedUpByTheKernel() {
		List<String> statistics = List.of("cpu  1000 200 300 4000 50 0 60 123 0 0", "cpu0 1 2 3 4 5 6 7 8 0 0",
				"intr 1 2");
		assertThat(StolenTime.in(statistics)).hasMillis(1230);
	}

	@Test
	void isNoneWhereTheKernelDoesNotTell() {
		assertThat(StolenTime.in(List.of("cpu  1000 200 300"))).isZero();
		assertThat(StolenTime.in(List.of())).isZero();
	}

	@Test
	void neverFalls() {
		Duration before = StolenTime.total();
		assertThat(StolenTime.total()).isGreaterThanOrEqualTo(before);
	}

}
