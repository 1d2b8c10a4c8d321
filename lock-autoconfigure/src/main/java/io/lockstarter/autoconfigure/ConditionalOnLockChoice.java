package io.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Condition that matches when the properties make the given choice.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockChoiceCondition.class)
@interface ConditionalOnLockChoice {

	/**
	 * Returns the required choice.
	 * @return the choice
	 */
	LockChoice value();

}
