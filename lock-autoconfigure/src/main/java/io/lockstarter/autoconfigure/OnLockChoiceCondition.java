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
		EarlySettings settings = EarlySettings.of(context.getEnvironment());
		return new ConditionOutcome(choice.isMade(settings),
				ConditionMessage.forCondition("Distributed lock").because(choice.decidedBy(settings)));
	}

}
