package io.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.lockstarter.core.LockType;

/**
 * Runs a method under a lock that all instances of the application share, from before the
 * method starts until its result is there: until it has returned or thrown, or, for
 * results that are completed later, until the {@code CompletionStage}, {@code Future},
 * {@code Publisher} or suspend function is completed, has failed or was cancelled.
 * <p>
 * Works on methods of Spring beans that are called from outside the bean. On a type it
 * applies to all methods of the type and its subtypes, on a method it replaces the one on
 * the type. It is found on classes, interfaces and, with {@code @AliasFor} for
 * attributes, on annotations that are themselves annotated with it.
 * <p>
 * A publisher takes the lock when it is subscribed to; neither it nor a stage blocks the
 * caller while it waits. An annotation that can never work stops the start of the
 * application.
 * <p>
 * A call fails with {@code LockAcquisitionTimeoutException} if the lock is not free
 * within the {@link #waitTime()}, {@code LockBackendException} if Redis fails or cannot
 * be reached, {@code LockKeyException} if the key is not usable, and
 * {@code LockInterruptedException} if the waiting thread is interrupted and the method
 * does not declare {@code InterruptedException}: the method was not run then. It fails
 * with {@code LockLostException} if the lock ended while the method ran. The owner is the
 * calling thread, or for results that are completed later the call itself; an owner may
 * take its lock again.
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
	 * a string, a number or a UUID; {@code null} and empty values are refused. An
	 * {@code Iterable} or array of such values, as in <code>{#from, #to}</code>, takes
	 * the locks of all of them as one: all or none, within one wait time, without
	 * deadlock. By default all calls share one lock.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * Which registry keeps the lock, where there are several: a name under
	 * {@code distributed-lock.registries}, or {@code default}; <code>${&hellip;}</code>
	 * is allowed. An unknown name stops the start. By default the default registry.
	 * @return the registry's name
	 */
	String registry() default "";

	/**
	 * How the lock excludes others.
	 * @return the type
	 */
	LockType type() default LockType.REENTRANT;

	/**
	 * How many may hold the lock at a time, over all instances: a number, or a SpEL
	 * expression with the names that {@link #key()} knows; <code>${&hellip;}</code> is
	 * allowed and resolved first. Each has a hold of its own, with its own lease and
	 * fencing token. Not for the types {@link LockType#READ READ} and
	 * {@link LockType#WRITE WRITE}. By default one holds the lock, which excludes all
	 * others.
	 * @return the number, 1 or more
	 */
	String permits() default "";

	/**
	 * How long to wait for the lock; {@code "0"} tries once, <code>${&hellip;}</code> is
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
	 * How long the lock is kept at the least, counted from when it was taken, even when
	 * the method is quicker; <code>${&hellip;}</code> is allowed. The caller does not
	 * wait for that, but cannot take the lock again meanwhile either. Inside a call that
	 * holds the lock already, the terms of that outer call decide. By default the lock is
	 * released when the result is there.
	 * @return the least time
	 */
	String holdAtLeast() default "";

	/**
	 * What a call gets when the lock is not free in time.
	 * @return the outcome
	 */
	OnTimeout onTimeout() default OnTimeout.THROW;

	/**
	 * Name of the method to call instead when the lock is not free in time, and only
	 * then: a method of the same class with the same parameters, optionally followed by
	 * the {@code LockAcquisitionTimeoutException}, and the same return type. It is called
	 * on the bean itself, without the lock. By default {@link #onTimeout()} decides.
	 * @return the method's name
	 */
	String fallback() default "";

	/**
	 * SpEL expression, with the names that {@link #key()} knows, that says whether the
	 * call needs the lock at all: if {@code false}, the method runs without it. By
	 * default every call needs it.
	 * @return the expression
	 */
	String condition() default "";

	/**
	 * Whether the database has the last word: each transaction that is committed while
	 * the method runs is rolled back instead if others have got the lock since, and the
	 * call fails with {@code StaleTokenException}, a {@code LockLostException}. Needs
	 * JDBC, a transaction manager of Spring, and the table {@code lock_fence} in the
	 * database in which the method writes; see the property
	 * {@code distributed-lock.fence.initialize-schema}. Not for readers and permits, nor
	 * for results that are completed later, other than by {@code @Async}.
	 * @return whether transactions of the method are fenced
	 */
	boolean fenced() default false;

}
