package io.lockstarter.aop;

import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * AspectJ aspect that runs methods annotated with {@code @DistributedLock} under their
 * locks, including private, static and final methods and self-calls. Must be named in
 * {@code META-INF/aop.xml}. It runs outside other woven advice, so that the lock is
 * released after the commit.
 */
@Aspect
@DeclarePrecedence("io.lockstarter.aop.LockAspect, *")
public final class LockAspect {

	/**
	 * Returns whether a weaver is active and has loaded this aspect.
	 * @return whether annotated methods are woven
	 */
	public static boolean isWoven() {
		return Aspects.hasAspect(LockAspect.class);
	}

	/**
	 * Runs an annotated method under its lock.
	 * @param execution the method's execution
	 * @return the result for the caller
	 * @throws IllegalStateException if the application that owns the lock is unknown
	 * @throws Throwable the exception of the method
	 */
	@Around("(execution(@io.lockstarter.annotation.DistributedLock * *(..))"
			+ " || execution(@(@io.lockstarter.annotation.DistributedLock *) * *(..))"
			+ " || (execution(* *(..)) && (within(@io.lockstarter.annotation.DistributedLock *)"
			+ " || within(@(@io.lockstarter.annotation.DistributedLock *) *))))"
			+ " && !within(java.lang.annotation.Annotation+)")
	public @Nullable Object underLock(ProceedingJoinPoint execution) throws Throwable {
		JoinPointInvocation invocation = new JoinPointInvocation(execution);
		return WovenLocks.adviceFor(invocation).invoke(invocation);
	}

}
