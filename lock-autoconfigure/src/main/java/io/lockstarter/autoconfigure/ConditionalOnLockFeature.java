package io.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Condition that matches when the properties enable the given feature.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockFeatureCondition.class)
@interface ConditionalOnLockFeature {

	/**
	 * Returns the required feature.
	 * @return the feature
	 */
	LockFeature value();

}
