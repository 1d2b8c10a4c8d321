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
 * What a quorum cannot do, though one Redis can.
 */
final class QuorumLimits {

	private final Duration longestLease;

	QuorumLimits(QuorumSettings settings) {
		this.longestLease = settings.longestLease();
	}

	/** Why there is no such lock, or {@code null} if there is. */
	@Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		if (permits > 1) {
			return new LockBackendException(name, Reason.NOT_SUPPORTED, String.format(Locale.ROOT,
					"the permits of %d holders could each be with another majority of the servers, and so be more than",
					permits) + " agreed, so there are no permits in a quorum; keep this lock in a single Redis", null);
		}
		if (type != LockType.FAIR) {
			return objection(name, lease);
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED,
				"independent servers cannot agree on an order of arrival, so there are no FAIR locks in a quorum; use"
						+ " the type REENTRANT, or keep this lock in a single Redis",
				null);
	}

	/** Why a lease is too long, or {@code null} if it is not. */
	@Nullable LockBackendException objection(String name, Duration lease) {
		if (lease.compareTo(this.longestLease) <= 0) {
			return null;
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED, String.format(Locale.ROOT,
				"the lease of %d ms is longer than distributed-lock.quorum.longest-lease (%d ms); raise that on all",
				lease.toMillis(), this.longestLease.toMillis()) + " instances, or ask for a shorter lease", null);
	}

	/** A grant by message would be one server's, and mean nothing. */
	static Acquire withoutDirectGrant(Acquire command) {
		Waiting waiting = command.waiting();
		return (waiting == null || !waiting.acceptsDirectGrant()) ? command
				: new Acquire(command.name(), command.tenure(), command.type(), command.holder(), command.lease(),
						new Waiting(waiting.position(), waiting.waited(), false, waiting.requests()));
	}

}
