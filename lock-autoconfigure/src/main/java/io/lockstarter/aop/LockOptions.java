package io.lockstarter.aop;

import java.time.Duration;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Options of the request for a method's lock.
 *
 * @param type the type of the lock
 * @param waitTime the wait time, or {@code null} for the configured one
 * @param leaseTime the fixed lease, or {@code null} for one that is renewed
 * @param holdAtLeast the minimum time for which the lock is held, zero to release it
 * after the method
 * @param registry the name of the registry, or {@code null} if there is only one
 */
record LockOptions(LockType type, @Nullable Duration waitTime, @Nullable Duration leaseTime, Duration holdAtLeast,
		@Nullable String registry) {

	/** Returns the request for a lock with these options. */
	LockRequest request(String lockName, String metricName, LockOwner owner, int permits) {
		LockRequest request = LockRequest.of(lockName).metricName(metricName).owner(owner);
		if (this.type != LockType.REENTRANT) {
			request = request.type(this.type);
		}
		if (permits > 1) {
			request = request.permits(permits);
		}
		if (this.waitTime != null) {
			request = request.waitTime(this.waitTime);
		}
		if (this.leaseTime != null) {
			request = request.leaseTime(this.leaseTime);
		}
		return (this.registry != null) ? request.registry(this.registry) : request;
	}

	boolean hasMinimumHold() {
		return !this.holdAtLeast.isZero();
	}

}
