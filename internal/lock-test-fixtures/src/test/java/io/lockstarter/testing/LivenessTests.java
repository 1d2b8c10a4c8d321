package io.lockstarter.testing;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A limit has two tries, and safety has one.
 */
class LivenessTests {

	private static final Duration LIMIT = Duration.ofSeconds(1);

	private static final Duration SHORT = Duration.ofMillis(999);

	private static final Duration LONG = Duration.ofMillis(1000);

	@Test
	void measuresOnceWhatIsInTime() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		Liveness.within("it", LIMIT, () -> {
			attempts.incrementAndGet();
			return SHORT;
		});
		assertThat(attempts).hasValue(1);
	}

	@Test
	void acceptsASecondTryInTime() {
		Iterator<Duration> times = List.of(LONG, SHORT).iterator();
		assertThatCode(() -> Liveness.within("it", LIMIT, times::next)).doesNotThrowAnyException();
	}

	@Test
	void refusesWhatIsLateTwice() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> Liveness.within("the wake-up", LIMIT, () -> LONG))
			.withMessageContaining("the wake-up");
	}

	@Test
	void neverRepeatsAnAssertionThatFailed() {
		AtomicInteger attempts = new AtomicInteger();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> Liveness.within("it", LIMIT, () -> {
			attempts.incrementAndGet();
			throw new AssertionError("overlap");
		})).withMessage("overlap");
		assertThat(attempts).hasValue(1);
	}

}
