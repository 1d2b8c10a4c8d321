package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a quorum in comparison with a single Redis.
 */
final class QuorumLimits {

	private final Duration longestLease;

	QuorumLimits(QuorumSettings settings) {
		this.longestLease = settings.longestLease();
	}

	/** Returns the reason why a quorum does not support a lock, or {@code null}. */
	@Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		if (permits > 1) {
			return new LockBackendException(name, Reason.NOT_SUPPORTED, String.format(Locale.ROOT,
					"a quorum does not support permits: majorities that differ could grant more than the %d permits",
					permits) + " of this lock; keep this lock in a single Redis", null);
		}
		if (type != LockType.FAIR) {
			return objection(name, lease);
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED,
				"a quorum does not support FAIR locks: independent servers cannot agree on an order of arrival; use"
						+ " the type REENTRANT, or keep this lock in a single Redis",
				null);
	}

	/** Returns the reason why a lease is too long, or {@code null}. */
	@Nullable LockBackendException objection(String name, Duration lease) {
		if (lease.compareTo(this.longestLease) <= 0) {
			return null;
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED, String.format(Locale.ROOT,
				"the lease of %d ms is longer than distributed-lock.quorum.longest-lease (%d ms); raise longest-lease on all",
				lease.toMillis(), this.longestLease.toMillis()) + " instances, or request a shorter lease", null);
	}

	/**
	 * Returns the command without a direct grant, which a single server of a quorum
	 * cannot give.
	 */
	static Acquire withoutDirectGrant(Acquire command) {
		Waiting waiting = command.waiting();
		return (waiting == null || !waiting.acceptsDirectGrant()) ? command
				: new Acquire(command.name(), command.tenure(), command.type(), command.holder(), command.lease(),
						new Waiting(waiting.position(), waiting.waited(), false, waiting.requests()));
	}

}
