package io.lockstarter.aop;

import org.aspectj.lang.Aspects;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Woven into methods annotated with {@code @DistributedLock}, puts them under their
 * locks: also those that are private, static or final, and whoever calls them. To be
 * named in {@code META-INF/aop.xml}. Outside of other woven advice, so that the lock is
 * released after the commit.
 */
@Aspect
@DeclarePrecedence("io.lockstarter.aop.LockAspect, *")
public final class LockAspect {

	/**
	 * Return whether there is a weaver, and it knows this aspect.
	 * @return whether annotated methods are woven
	 */
	public static boolean isWoven() {
		return Aspects.hasAspect(LockAspect.class);
	}

	/**
	 * Run an annotated method under its lock.
	 * @param execution the method's execution
	 * @return what the caller gets
	 * @throws IllegalStateException if it is not known which application's lock to take
	 * @throws Throwable what the method throws
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
