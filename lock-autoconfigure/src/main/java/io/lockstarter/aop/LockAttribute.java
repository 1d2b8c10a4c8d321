package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;

import io.lockstarter.annotation.OnFailure;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code @DistributedLock} says about one method of one class, checked and with
 * its placeholders resolved.
 *
 * @param method the method that runs
 * @param name the static name
 * @param key what tells apart the locks of that name, or {@code null} if there is one
 * @param waitTime how long to wait, or {@code null} for the configured time
 * @param leaseTime the fixed lease, or {@code null} for one that is renewed
 * @param onFailure what a call gets without the lock
 * @param interruptible whether the method may throw {@link InterruptedException}
 */
record LockAttribute(Method method, String name, @Nullable LockKey key, @Nullable Duration waitTime,
		@Nullable Duration leaseTime, OnFailure onFailure, boolean interruptible) {

	/**
	 * Ask for the lock of these terms with a given name.
	 */
	LockRequest request(String lockName) {
		return new LockRequest(lockName, this.name, LockType.REENTRANT, null, this.waitTime, this.leaseTime);
	}

}
