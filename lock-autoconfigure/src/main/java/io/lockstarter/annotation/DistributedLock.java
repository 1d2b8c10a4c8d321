package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method under a lock that all instances of the application share, from before the
 * method starts until it has returned or thrown.
 * <p>
 * Works on methods of Spring beans that are called from outside the bean. On a type it
 * applies to all methods of the type and its subtypes, on a method it replaces the one on
 * the type. It is found on classes, interfaces and, with {@code @AliasFor} for
 * attributes, on annotations that are themselves annotated with it.
 * <p>
 * Methods whose result is completed later, such as those that return a future or a
 * publisher, are refused when the application starts, and so is every annotation that can
 * never work.
 * <p>
 * Durations are a number with its unit, such as {@code 10s} or {@code 500ms}, or in ISO
 * 8601 form, such as {@code PT10S}. Where <code>${&hellip;}</code> is allowed it is
 * resolved once, when the application starts.
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

	/**
	 * Static first part of the lock's name, under which the lock also counts in metrics;
	 * <code>${&hellip;}</code> is allowed. By default the simple name of the class and
	 * the name of the method, as in {@code OrderService.ship}.
	 * @return the static name
	 */
	String name() default "";

	/**
	 * SpEL expression that tells apart what is locked, for instance {@code #orderId}: the
	 * arguments are known as {@code #name}, {@code #p0} and {@code #a0}, the method, the
	 * bean and the arguments as {@code #root.method}, {@code #root.target} and
	 * {@code #root.args}, other beans as {@code @name}. Its value must be simple, such as
	 * a string, a number or a UUID; {@code null} and empty values are refused. By default
	 * all calls share one lock.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * How long to wait for the lock; {@code "0"} tries once, <code>${&hellip;}</code> is
	 * allowed. By default the property {@code distributed-lock.wait-time}.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * Fixed lease after which the lock ends even if the method still runs;
	 * <code>${&hellip;}</code> is allowed. By default the lease of the property
	 * {@code distributed-lock.lease-time} is renewed for as long as the method runs.
	 * @return the lease time
	 */
	String leaseTime() default "";

	/**
	 * What a call gets when the lock is not free in time.
	 * @return the outcome
	 */
	OnFailure onFailure() default OnFailure.THROW;

}
