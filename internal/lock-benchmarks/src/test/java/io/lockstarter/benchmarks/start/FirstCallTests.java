package io.lockstarter.benchmarks.start;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FirstCallTests {

	@Test
	void roundTripsThroughALine() {
		FirstCall call = new FirstCall(1, 2, 3, 4, 5, 6);
		assertThat(FirstCall.isIn(call.line())).isTrue();
		assertThat(FirstCall.read(call.line())).isEqualTo(call);
		assertThat(FirstCall.isIn("Started LockApplication")).isFalse();
	}

}
