package io.lockstarter.redis.quorum;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Whether a server answers, as far as it was asked.
 */
final class ServerHealth {

	private static final LockLog logger = LockLog.of(ServerHealth.class);

	private static final Set<Reason> SILENCE = EnumSet.of(Reason.TIMEOUT, Reason.UNREACHABLE, Reason.LOADING);

	/** A server that answers later than that may as well be down. */
	static final long PATIENCE_MILLIS = 500;

	private final Object server;

	private final Runnable onReturn;

	private volatile long answered = System.nanoTime();

	private volatile boolean silent;

	/**
	 * Take a server for one that answers.
	 * @param server how to call it in messages
	 * @param onReturn is told when it answers again
	 */
	ServerHealth(Object server, Runnable onReturn) {
		this.server = server;
		this.onReturn = onReturn;
	}

	/** Whether it cannot be reached, or has not answered for a while when asked. */
	boolean isSilent() {
		return this.silent;
	}

	/**
	 * The server has answered, or failed to. One that did not do so in a short time is
	 * not silent yet.
	 * @param sent when it was asked, by {@link System#nanoTime()}
	 */
	void heard(long sent, @Nullable LockBackendException failure) {
		if (failure == null || !SILENCE.contains(failure.reason())) {
			this.answered = System.nanoTime();
			answers();
		}
		else if (failure.reason() != Reason.TIMEOUT || isOverdue(sent)) {
			keepsSilent(failure);
		}
	}

	private boolean isOverdue(long sent) {
		long now = System.nanoTime();
		return Math.min(now - sent, now - this.answered) >= TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
	}

	private void answers() {
		if (this.silent && turn(false)) {
			logger.info("Redis at %s answers again".formatted(this.server));
			this.onReturn.run();
		}
	}

	private void keepsSilent(LockBackendException failure) {
		if (turn(true)) {
			logger.warn("Redis at %s does not answer; the quorum goes on without it (%s)".formatted(this.server,
					failure.detail()));
		}
	}

	private synchronized boolean turn(boolean silent) {
		boolean turned = this.silent != silent;
		this.silent = silent;
		return turned;
	}

}
