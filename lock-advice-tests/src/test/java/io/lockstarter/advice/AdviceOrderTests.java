package io.lockstarter.advice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

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
	void isDocumented() throws IOException {
		List<String> rows = Arrays.stream(Advice.values()).map(Advice::row).toList();
		assertThat(table()).as("the rows below 'Other advice', which are to be:%n%s", String.join("\n", rows))
			.containsExactlyElementsOf(rows);
	}

	private static List<String> table() throws IOException {
		return Files.readAllLines(Path.of("..", "docs", "reference.md"))
			.stream()
			.dropWhile((line) -> !line.equals("### Other advice"))
			.dropWhile((line) -> !line.startsWith("|"))
			.takeWhile((line) -> line.startsWith("|"))
			.skip(2)
			.toList();
	}

	@Test
	void isWarnedOfWhereItIsProbablyWrong() {
		assertThat(byDefault.warnings())
			.allSatisfy((line) -> assertThat(line).startsWith("Locked methods of " + Desk.class.getName()))
			.satisfiesExactlyInAnyOrder(
					(line) -> assertThat(line).contains("(springRetry)", "outside, spring-retry's @Retryable inside",
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
