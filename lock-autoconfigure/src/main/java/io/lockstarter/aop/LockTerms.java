package io.lockstarter.aop;

import java.time.Duration;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * The terms under which the lock of a method is taken.
 *
 * @param type how it excludes others
 * @param waitTime how long to wait, or {@code null} for the configured time
 * @param leaseTime the fixed lease, or {@code null} for one that is renewed
 * @param holdAtLeast how long to keep it at the least, zero for no longer than the method
 * @param registry the registry it is of, or {@code null} if there is only one
 */
record LockTerms(LockType type, @Nullable Duration waitTime, @Nullable Duration leaseTime, Duration holdAtLeast,
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

	boolean isKept() {
		return !this.holdAtLeast.isZero();
	}

}
