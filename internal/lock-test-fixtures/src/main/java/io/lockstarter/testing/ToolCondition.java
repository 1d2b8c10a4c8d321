package io.lockstarter.testing;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Condition that skips tests whose tool this machine lacks.
 */
class ToolCondition implements ExecutionCondition {

	/** System property with the names of the tools that must not be missing. */
	static final String REQUIRED = "lockstarter.test.tools";

	/** Beginning of every reason that the end of the build reports. */
	static final String NEEDS = "needs ";

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		return context.getElement()
			.flatMap((element) -> AnnotationSupport.findAnnotation(element, Needs.class))
			.map((needs) -> evaluate(needs.value(), needs.value().obstacle(), System.getProperty(REQUIRED, "")))
			.orElseGet(() -> ConditionEvaluationResult.enabled("needs no tool"));
	}

	static ConditionEvaluationResult evaluate(Tool tool, Optional<String> obstacle, String required) {
		String need = NEEDS + tool;
		if (obstacle.isEmpty()) {
			return ConditionEvaluationResult.enabled(need);
		}
		String reason = need + ": " + obstacle.get();
		if (List.of(required.split(",")).contains(tool.name().toLowerCase(Locale.ROOT))) {
			throw new IllegalStateException(reason);
		}
		return ConditionEvaluationResult.disabled(reason);
	}

}
