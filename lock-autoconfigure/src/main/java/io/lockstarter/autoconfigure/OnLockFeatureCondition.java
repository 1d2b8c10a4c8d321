package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition of {@link ConditionalOnLockFeature}.
 */
class OnLockFeatureCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		LockFeature feature = metadata.getAnnotations()
			.get(ConditionalOnLockFeature.class)
			.getEnum("value", LockFeature.class);
		EarlySettings settings = EarlySettings.of(context.getEnvironment());
		return new ConditionOutcome(feature.isEnabled(settings),
				ConditionMessage.forCondition("Distributed lock").because(feature.decidedBy(settings)));
	}

}
