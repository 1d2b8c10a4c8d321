package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Terms;
import io.lockstarter.core.backend.TenureId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One server of the quorum, with how it has behaved so far.
 */
public final class QuorumServer {

	private static final Log logger = LogFactory.getLog(QuorumServer.class);

	private static final Set<Reason> SILENCE = EnumSet.of(Reason.TIMEOUT, Reason.UNREACHABLE, Reason.LOADING);

	/** A server that answers later than that may as well be down. */
	static final long PATIENCE_MILLIS = 500;

	private static final long ENROL_TIMEOUT_MILLIS = 1500;

	private final QuorumNode node;

	private final UnconfirmedReleases arrears;

	private final ScheduledExecutorService timer;

	private volatile long answered = System.nanoTime();

	private volatile boolean silent;

	public QuorumServer(QuorumNode node, ScheduledExecutorService timer) {
		this.node = node;
		this.timer = timer;
		this.arrears = new UnconfirmedReleases(this, timer);
	}

	QuorumNode node() {
		return this.node;
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
			logger.info("Redis at %s answers again".formatted(this.node));
			// It may have been restarted empty.
			enrol();
		}
	}

	private void keepsSilent(LockBackendException failure) {
		if (turn(true)) {
			logger.warn("Redis at %s does not answer; the quorum goes on without it (%s)".formatted(this.node,
					failure.detail()));
		}
	}

	private synchronized boolean turn(boolean silent) {
		boolean turned = this.silent != silent;
		this.silent = silent;
		return turned;
	}

	/** See to it that the server votes as soon as it may. */
	void enrol() {
		long sent = System.nanoTime();
		TimedCall.send(ENROL_TIMEOUT_MILLIS, this.timer, () -> this.node.connect().thenApply((connected) -> true))
			.whenComplete(
					(connected, failure) -> asked(LockBackendException.NO_LOCK, sent, ENROL_TIMEOUT_MILLIS, failure));
	}

	/** Put back a tenure that a majority has, and that this server has forgotten. */
	void putBack(Renew command) {
		Terms terms = command.terms();
		if (terms == null || command.lease().isZero()) {
			return;
		}
		long sent = System.nanoTime();
		TimedCall.send(PATIENCE_MILLIS, this.timer, () -> this.node.putBack(command, terms))
			.whenComplete((there, failure) -> asked(command.name(), sent, PATIENCE_MILLIS, failure));
	}

	/** It is asked again later, so that a failure need not be told. */
	private void asked(String name, long sent, long timeoutMillis, @Nullable Throwable thrown) {
		LockBackendException failure = (thrown != null) ? TimedCall.translate(name, thrown, timeoutMillis) : null;
		if (failure != null) {
			logger.debug("Redis at %s neither votes nor takes a lock back yet".formatted(this.node), failure);
		}
		heard(sent, failure);
	}

	/** End a tenure later that could not be ended now, for as long as its lease lasts. */
	void owe(String name, TenureId tenure, Duration lease) {
		this.arrears.add(new Release(name, tenure, Release.Intent.STAY, null), lease);
	}

	/** How many tenures are still to be ended. */
	int owed() {
		return this.arrears.size();
	}

}
