package io.lockstarter.advice;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.testing.GeneratedPage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order of the lock among the advice of other libraries, as their effects show it.
 */
class AdviceOrderTests {

	private static Office byDefault;

	private static Office turned;

	@BeforeAll
	static void open() {
		byDefault = new Office(Orders.ByDefault.class);
		turned = new Office(Orders.Turned.class, Orders.TURNED);
	}

	@AfterAll
	static void close() {
		byDefault.close();
		turned.close();
	}

	@ParameterizedTest
	@EnumSource
	void byDefault(Advice advice) {
		assertThat(advice.isOutsideIn(byDefault)).isEqualTo(advice.isOutsideByDefault());
	}

	static Stream<Advice> thoseWithRemedy() {
		return Arrays.stream(Advice.values()).filter(Advice::hasRemedy);
	}

	@ParameterizedTest
	@MethodSource("thoseWithRemedy")
	void turnedRound(Advice advice) {
		assertThat(advice.isOutsideIn(turned)).isEqualTo(!advice.isOutsideByDefault());
	}

	@Test
	void isDocumented() {
		GeneratedPage.by(getClass(), "Advice and the lock")
			.text("""
					The table shows which advice of a method runs inside or outside of its lock by default, and how to reverse the
					order. Every row is tested with the real library.

					If retries run inside of the lock, the lock is held during all attempts and pauses, and a call that does not get the
					lock is not retried. Limits and circuit breakers inside of the lock ignore calls that wait for the lock. Therefore a
					warning at startup names those of spring-retry and Resilience4j (`distributed-lock.warn.advice-order`). Advice with an
					order below `distributed-lock.aspect.order` (2147483547) runs outside of the lock.""")
			.table(List.of("advice", "by default", "to reverse the order"),
					Arrays.stream(Advice.values()).map(Advice::row).toList())
			.assertIsIn("advice.md");
	}

	@Test
	void isWarnedOfWhereItIsProbablyWrong() {
		assertThat(byDefault.warnings())
			.allSatisfy((line) -> assertThat(line).startsWith("Locked methods of " + Desk.class.getName()))
			.satisfiesExactlyInAnyOrder(
					(line) -> assertThat(line).contains("(springRetry)", "outside and spring-retry's @Retryable inside",
							"@EnableRetry(order = 2147483447)"),
					(line) -> assertThat(line).contains("(retry)", "Resilience4j's @Retry inside", Orders.TURNED[0]),
					(line) -> assertThat(line).contains("(circuitBreaker)", "@CircuitBreaker inside", Orders.TURNED[1]),
					(line) -> assertThat(line).contains("(rateLimiter)", "@RateLimiter inside", Orders.TURNED[2]),
					(line) -> assertThat(line).contains("(timeLimiter)", "@TimeLimiter inside", Orders.TURNED[3]),
					(line) -> assertThat(line).contains("(bulkhead)", "@Bulkhead inside", Orders.TURNED[4]));
	}

	@Test
	void isNotWarnedOfWhereItIsTurnedRound() {
		assertThat(turned.warnings()).isEmpty();
	}

	@Test
	void isNotWarnedOfWhereThatIsNotWanted() {
		try (Office office = new Office(Orders.ByDefault.class, "distributed-lock.warn.advice-order=false")) {
			assertThat(office.warnings()).isEmpty();
		}
	}

}
