package io.lockstarter.redis.quorum;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Health of a server, by its replies to requests.
 * <p>
 * Safe for use by multiple threads.
 */
final class ServerHealth {

	private static final LockLog logger = LockLog.of(ServerHealth.class);

	private static final Set<Reason> NO_REPLY = EnumSet.of(Reason.TIMEOUT, Reason.UNREACHABLE, Reason.LOADING);

	/** Time without a reply after which a server counts as unresponsive: 500 ms. */
	static final long TIMEOUT_MILLIS = 500;

	private final Object server;

	private final Runnable onReturn;

	private volatile long repliedAt = System.nanoTime();

	private volatile boolean unresponsive;

	/**
	 * Creates the health of a server that counts as responsive at first.
	 * @param server the server, whose text appears in messages
	 * @param onReturn is run when the server replies again
	 */
	ServerHealth(Object server, Runnable onReturn) {
		this.server = server;
		this.onReturn = onReturn;
	}

	/**
	 * Returns whether the server is unreachable, or has not replied to requests for 500
	 * ms.
	 */
	boolean isUnresponsive() {
		return this.unresponsive;
	}

	/**
	 * Records a reply or a failure. A timeout of less than 500 ms does not make the
	 * server unresponsive.
	 * @param sent the time of the request, by {@link System#nanoTime()}
	 */
	void replied(long sent, @Nullable LockBackendException failure) {
		if (failure == null || !NO_REPLY.contains(failure.reason())) {
			this.repliedAt = System.nanoTime();
			becomeResponsive();
		}
		else if (failure.reason() != Reason.TIMEOUT || isTimedOut(sent)) {
			becomeUnresponsive(failure);
		}
	}

	private boolean isTimedOut(long sent) {
		long now = System.nanoTime();
		return Math.min(now - sent, now - this.repliedAt) >= TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
	}

	private void becomeResponsive() {
		if (this.unresponsive && change(false)) {
			logger.info("Redis at %s replies again".formatted(this.server));
			this.onReturn.run();
		}
	}

	private void becomeUnresponsive(LockBackendException failure) {
		if (change(true)) {
			logger.warn("Redis at %s does not reply; the quorum continues without this server (%s)"
				.formatted(this.server, failure.detail()));
		}
	}

	private synchronized boolean change(boolean unresponsive) {
		boolean changed = this.unresponsive != unresponsive;
		this.unresponsive = unresponsive;
		return changed;
	}

}
