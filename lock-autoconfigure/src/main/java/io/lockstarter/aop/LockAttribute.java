package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Validated {@code @DistributedLock} of one method and class, with resolved placeholders.
 *
 * @param method the method that runs
 * @param name the static name
 * @param key the expression that distinguishes locks of the same name, or {@code null} if
 * there is only one
 * @param permits the expression for the number of owners that may hold a lock at a time,
 * or {@code null} for one
 * @param condition the expression that decides whether a call needs the lock, or {@code
 * null} if each call does
 * @param options the options of the request
 * @param onTimeout the treatment of a call whose lock was not acquired
 * @param fallback the method that is called without the lock, or {@code null}
 * @param operation the way in which the lock is held until the result is complete
 * @param interruptible whether the method may throw {@link InterruptedException}
 * @param fence supplies the fence of the method's transactions, or {@code null} if the
 * method is not fenced
 */
record LockAttribute(Method method, String name, @Nullable LockExpression key, @Nullable LockExpression permits,
		@Nullable LockExpression condition, LockOptions options, OnTimeout onTimeout, @Nullable Fallback fallback,
		LockOperation operation, boolean interruptible, @Nullable Supplier<@Nullable LockFence> fence) {

	/**
	 * Prepares the fence, if the method is fenced.
	 * @throws RuntimeException if the fence cannot work
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

	/** Registers the fencing token of a lock, if the method is fenced. */
	LockFence.@Nullable Guard guard(LockHandle lock) {
		if (this.fence == null) {
			return null;
		}
		String user = Describe.method(this.method);
		return LockFence.require(this.fence.get(), user).guard(lock, user);
	}

}
