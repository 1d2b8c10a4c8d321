package io.lockstarter.aop;

import java.lang.reflect.Method;

import io.lockstarter.annotation.OnFailure;
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
 * @param onFailure what a call gets without the lock
 * @param fallback what is called without the lock, or {@code null}
 * @param operation how the lock is held until the result is there
 * @param interruptible whether the method may throw {@link InterruptedException}
 */
record LockAttribute(Method method, String name, @Nullable LockExpression key, @Nullable LockExpression permits,
		@Nullable LockExpression condition, LockTerms terms, OnFailure onFailure, @Nullable Fallback fallback,
		LockOperation operation, boolean interruptible) {

}
