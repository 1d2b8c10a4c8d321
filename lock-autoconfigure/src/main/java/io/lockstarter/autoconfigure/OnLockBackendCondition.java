package io.lockstarter.autoconfigure;

import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition of {@link ConditionalOnLockBackend}.
 */
class OnLockBackendCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Backend wanted = metadata.getAnnotations().get(ConditionalOnLockBackend.class).getEnum("value", Backend.class);
		Backend chosen = Binder.get(context.getEnvironment())
			.bind("distributed-lock.backend", Backend.class)
			.orElse(Backend.REDIS);
		return new ConditionOutcome(chosen == wanted,
				ConditionMessage.forCondition(ConditionalOnLockBackend.class).because("the backend is " + chosen));
	}

}
