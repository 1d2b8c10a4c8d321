package io.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.autoconfigure.DistributedLockProperties.Backend;

import org.springframework.context.annotation.Conditional;

/**
 * Matches when {@code distributed-lock.backend} chooses the given backend, in any of the
 * spellings a property may have.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockBackendCondition.class)
@interface ConditionalOnLockBackend {

	/**
	 * The backend to be chosen.
	 * @return the backend
	 */
	Backend value();

}
