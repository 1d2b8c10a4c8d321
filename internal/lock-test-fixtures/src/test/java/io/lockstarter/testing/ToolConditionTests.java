package io.lockstarter.testing;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ToolCondition}.
 */
class ToolConditionTests {

	private static final Optional<String> MISSING = Optional.of("it is not here");

	@Test
	void runsTestsWhoseToolIsThere() {
		ConditionEvaluationResult result = ToolCondition.evaluate(Tool.TLS, Optional.empty(), "tls");
		assertThat(result.isDisabled()).isFalse();
	}

	@Test
	void skipsTestsWhoseToolIsMissing() {
		ConditionEvaluationResult result = ToolCondition.evaluate(Tool.TLS, MISSING, "docker");
		assertThat(result.isDisabled()).isTrue();
		assertThat(result.getReason()).contains("needs TLS: it is not here");
	}

	@Test
	void failsTestsWhoseRequiredToolIsMissing() {
		assertThatIllegalStateException().isThrownBy(() -> ToolCondition.evaluate(Tool.TLS, MISSING, "docker,tls"))
			.withMessage("needs TLS: it is not here");
	}

}
