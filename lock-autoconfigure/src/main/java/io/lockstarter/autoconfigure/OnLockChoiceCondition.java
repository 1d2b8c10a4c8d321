package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition of {@link ConditionalOnLockChoice}.
 */
class OnLockChoiceCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		LockChoice choice = metadata.getAnnotations()
			.get(ConditionalOnLockChoice.class)
			.getEnum("value", LockChoice.class);
		boolean made = choice.isMade(EarlySettings.of(context.getEnvironment()));
		return new ConditionOutcome(made, ConditionMessage.forCondition(ConditionalOnLockChoice.class)
			.because("the choice %s is %s".formatted(choice, made ? "made" : "not made")));
	}

}
