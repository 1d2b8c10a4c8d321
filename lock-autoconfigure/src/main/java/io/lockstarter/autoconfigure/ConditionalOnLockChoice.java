package io.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches when the properties make the given choice.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockChoiceCondition.class)
@interface ConditionalOnLockChoice {

	/**
	 * The choice to be made.
	 * @return the choice
	 */
	LockChoice value();

}
