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

	/** Ask for a lock on these terms. */
	LockRequest request(String lockName, String group, LockOwner owner, int permits) {
		return new LockRequest(lockName, group, this.type, owner, this.waitTime, this.leaseTime, permits,
				this.registry);
	}

	boolean isKept() {
		return !this.holdAtLeast.isZero();
	}

}
