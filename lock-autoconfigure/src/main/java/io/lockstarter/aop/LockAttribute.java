package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code @DistributedLock} says about one method of one class, checked and with
 * its placeholders resolved.
 *
 * @param method the method that runs
 * @param name the static name
 * @param key what tells apart the locks of that name, or {@code null} if there is one
 * @param permits how many may hold a lock at a time, or {@code null} if one may
 * @param condition whether a call needs the lock, or {@code null} if each does
 * @param terms the terms under which the lock is taken
 * @param onTimeout what a call gets without the lock
 * @param fallback what is called without the lock, or {@code null}
 * @param operation how the lock is held until the result is there
 * @param interruptible whether the method may throw {@link InterruptedException}
 * @param fence what guards the transactions of the method, or {@code null} if it is not
 * fenced
 */
record LockAttribute(Method method, String name, @Nullable LockExpression key, @Nullable LockExpression permits,
		@Nullable LockExpression condition, LockTerms terms, OnTimeout onTimeout, @Nullable Fallback fallback,
		LockOperation operation, boolean interruptible, @Nullable Supplier<@Nullable LockFence> fence) {

	/**
	 * Prepares the fence, if the method is fenced.
	 * @throws RuntimeException if it cannot work
	 */
	void prepareFence() {
		if (this.fence == null) {
			return;
		}
		LockFence fence = this.fence.get();
		if (fence == null) {
			throw new InvalidLockAnnotationException(this.method, "fenced",
					"fenced = true needs JDBC, which is not on the class path",
					"add the dependency spring-boot-starter-jdbc, or omit fenced", null);
		}
		fence.prepare(Describe.method(this.method));
	}

	/** Registers the token of a lock for a method that is fenced. */
	LockFence.@Nullable Guard guard(LockHandle lock) {
		if (this.fence == null) {
			return null;
		}
		String user = Describe.method(this.method);
		return LockFence.require(this.fence.get(), user).guard(lock, user);
	}

}
