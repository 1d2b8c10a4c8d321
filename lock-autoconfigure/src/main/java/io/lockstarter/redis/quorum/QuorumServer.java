package io.lockstarter.redis.quorum;

import java.time.Duration;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Terms;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * One server of the quorum, which is told again what it has missed.
 */
public final class QuorumServer {

	private static final LockLog logger = LockLog.of(QuorumServer.class);

	private static final long JOIN_TIMEOUT_MILLIS = 1500;

	private final QuorumNode node;

	private final ServerHealth health;

	private final UnconfirmedReleases unconfirmed;

	private final Timer timer;

	public QuorumServer(QuorumNode node, Timer timer) {
		this.node = node;
		this.timer = timer;
		// It may have been restarted empty.
		this.health = new ServerHealth(node, this::join);
		this.unconfirmed = new UnconfirmedReleases(node, this.health, timer);
	}

	QuorumNode node() {
		return this.node;
	}

	/** Whether it cannot be reached, or has not answered for a while when asked. */
	boolean isSilent() {
		return this.health.isSilent();
	}

	/**
	 * The server has answered, or failed to.
	 * @param sent when it was asked, by {@link System#nanoTime()}
	 */
	void heard(long sent, @Nullable LockBackendException failure) {
		this.health.heard(sent, failure);
	}

	/** See to it that the server votes as soon as it may. */
	void join() {
		long sent = System.nanoTime();
		TimedCall.send(JOIN_TIMEOUT_MILLIS, this.timer, () -> this.node.connect().thenApply((connected) -> true))
			.whenComplete(
					(connected, failure) -> asked(LockBackendException.NO_LOCK, sent, JOIN_TIMEOUT_MILLIS, failure));
	}

	/** Put back a tenure that a majority has, and that this server has forgotten. */
	void putBack(Renew command) {
		Terms terms = command.terms();
		if (terms == null || command.lease().isZero()) {
			return;
		}
		long sent = System.nanoTime();
		TimedCall.send(ServerHealth.PATIENCE_MILLIS, this.timer, () -> this.node.putBack(command, terms))
			.whenComplete((there, failure) -> asked(command.name(), sent, ServerHealth.PATIENCE_MILLIS, failure));
	}

	/** It is asked again later, so that a failure need not be told. */
	private void asked(String name, long sent, long timeoutMillis, @Nullable Throwable thrown) {
		LockBackendException failure = (thrown != null) ? TimedCall.translate(name, this.node, thrown, timeoutMillis)
				: null;
		if (failure != null) {
			logger.debug("Redis at %s neither votes nor takes a lock back yet".formatted(this.node), failure);
		}
		heard(sent, failure);
	}

	/** End a tenure later that could not be ended now, for as long as its lease lasts. */
	void owe(String name, TenureId tenure, Duration lease) {
		this.unconfirmed.add(new Release(name, tenure, Release.Intent.STAY, null), lease);
	}

	/** Goes on to end tenures, in case that an error has stopped it. */
	void endOwed() {
		this.unconfirmed.ensureWorking();
	}

	/** How many tenures are still to be ended. */
	int owed() {
		return this.unconfirmed.size();
	}

	void close() {
		this.unconfirmed.close();
		this.node.close();
	}

}
