package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.core.LockType;

/**
 * Annotation that runs a method under a lock shared by all instances of the application.
 * The lock is held from before the method begins until its result is available: until the
 * method has returned or thrown, or until its {@code CompletionStage}, {@code Future},
 * {@code Publisher} or suspend function has completed, failed or been cancelled.
 * <p>
 * The annotation works on methods of Spring beans that are called from outside the bean.
 * On a type, it applies to all methods of the type and its subtypes. On a method, it
 * replaces that of the type. It is found on classes, interfaces and, with
 * {@code @AliasFor} for attributes, on annotations that are themselves annotated with it.
 * <p>
 * A publisher acquires the lock on subscription. Publishers and stages do not block the
 * caller while they wait. An annotation that can never work prevents the start of the
 * application.
 * <p>
 * In these cases a call fails and the method is not run:
 * <ul>
 * <li>{@code LockAcquisitionTimeoutException}: the lock is not free within the
 * {@link #waitTime()}.</li>
 * <li>{@code LockBackendException}: Redis fails or is unreachable.</li>
 * <li>{@code LockKeyException}: the key, the number of permits or the condition cannot be
 * used for this call.</li>
 * <li>{@code LockInterruptedException}: the waiting thread is interrupted, and the method
 * does not declare {@code InterruptedException}.</li>
 * </ul>
 * A call fails with {@code LockLostException} if the lock ended while the method ran. The
 * owner is the calling thread, or the call itself if its result completes later. An owner
 * may re-enter its lock.
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
	 * Static first part of the lock's name, which is also its name in metrics;
	 * <code>${&hellip;}</code> is allowed. By default the simple name of the class and
	 * the name of the method, as in {@code OrderService.ship}.
	 * @return the static name
	 */
	String name() default "";

	/**
	 * SpEL expression for the variable part of the lock's name, for instance
	 * {@code #orderId}. The arguments are available as {@code #name}, {@code #p0} and
	 * {@code #a0}; the method, the bean and the arguments as {@code #root.method},
	 * {@code #root.target} and {@code #root.args}; other beans as {@code @name}. The
	 * value must be simple, such as a string, a number or a UUID; {@code null} and empty
	 * values are refused. For an {@code Iterable} or array of such values, as in
	 * <code>{#from, #to}</code>, the locks of all values are acquired as one: all or
	 * none, within one wait time, without deadlock. By default all calls share one lock.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * Registry of the lock if there are several: a name under
	 * {@code distributed-lock.registries}, or {@code default}; <code>${&hellip;}</code>
	 * is allowed. An unknown name prevents the start. By default the default registry.
	 * @return the registry's name
	 */
	String registry() default "";

	/**
	 * Type of the lock.
	 * @return the type
	 */
	LockType type() default LockType.REENTRANT;

	/**
	 * Number of permits: the maximum number of owners that hold the lock at a time, over
	 * all instances. A number, or a SpEL expression with the variables of {@link #key()};
	 * <code>${&hellip;}</code> is allowed and resolved first. Each hold has its own lease
	 * and fencing token. Not for the types {@link LockType#READ READ} and
	 * {@link LockType#WRITE WRITE}. By default the lock is exclusive.
	 * @return the number, 1 or more
	 */
	String permits() default "";

	/**
	 * Maximum wait for the lock; {@code "0"} tries once, <code>${&hellip;}</code> is
	 * allowed. By default the property {@code distributed-lock.wait-time}, which is 10 s
	 * unless set.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * Fixed lease after which the lock ends even if the method still runs;
	 * <code>${&hellip;}</code> is allowed. By default the lease of the property
	 * {@code distributed-lock.lease-time}, which is 30 s unless set, is renewed for as
	 * long as the method runs. At least 100 ms.
	 * @return the lease time
	 */
	String leaseTime() default "";

	/**
	 * Minimum time for which the lock is held, counted from its acquisition, even if the
	 * method is faster; <code>${&hellip;}</code> is allowed. The caller does not wait for
	 * that, but cannot acquire the lock again meanwhile. Inside a call that already holds
	 * the lock, the options of the outer call apply. By default the lock is released when
	 * the result is available.
	 * @return the minimum time
	 */
	String holdAtLeast() default "";

	/**
	 * Outcome of a call whose lock is not free in time.
	 * @return the outcome
	 */
	OnTimeout onTimeout() default OnTimeout.THROW;

	/**
	 * Name of the method to call instead if the lock is not free in time, and only then:
	 * a method of the same class with the same parameters, optionally followed by the
	 * {@code LockAcquisitionTimeoutException}, and the same return type. It is called on
	 * the bean itself, without the lock. By default {@link #onTimeout()} decides.
	 * @return the method's name
	 */
	String fallback() default "";

	/**
	 * SpEL expression, with the variables of {@link #key()}, that decides whether the
	 * call needs the lock: if {@code false}, the method runs without the lock. By default
	 * every call needs the lock.
	 * @return the expression
	 */
	String condition() default "";

	/**
	 * Verification of the fencing token by the database: a transaction that would be
	 * committed while the method runs is rolled back if a later holder has begun its work
	 * in the meantime, and the call fails with {@code StaleTokenException}, a
	 * {@code LockLostException}. Needs JDBC, a transaction manager of Spring, and the
	 * table {@code lock_fence} in the database in which the method writes; see the
	 * property {@code distributed-lock.fence.initialize-schema}. Not for readers and
	 * permits, nor for results that complete later, other than by {@code @Async}.
	 * @return whether transactions of the method are fenced
	 */
	boolean fenced() default false;

}
