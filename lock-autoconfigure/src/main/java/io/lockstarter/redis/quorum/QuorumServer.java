package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * One server of the quorum, with its health and its unconfirmed releases.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumServer {

	private static final LockLog logger = LockLog.of(QuorumServer.class);

	/** Maximum wait for a server to join: 1.5 s. */
	private static final long JOIN_TIMEOUT_MILLIS = 1500;

	private final QuorumNode node;

	private final ServerHealth health;

	private final UnconfirmedReleases unconfirmed;

	private final Timer timer;

	QuorumServer(QuorumNode node, Timer timer) {
		this.node = node;
		this.timer = timer;
		// The server may have been restarted without its data.
		this.health = new ServerHealth(node, this::join);
		this.unconfirmed = new UnconfirmedReleases(node, this.health, timer);
	}

	QuorumNode node() {
		return this.node;
	}

	/**
	 * Sends a command, and cancels it after the time after which the server counts as
	 * unresponsive.
	 */
	<T> CompletableFuture<T> send(Function<QuorumNode, CompletableFuture<T>> command) {
		return TimedCall.send(ServerHealth.TIMEOUT_MILLIS, this.timer, () -> command.apply(this.node));
	}

	/**
	 * Returns whether the server is unreachable, or has not replied to requests for 500
	 * ms.
	 */
	boolean isUnresponsive() {
		return this.health.isUnresponsive();
	}

	/**
	 * Records a reply or a failure.
	 * @param sent the time of the request, by {@link System#nanoTime()}
	 */
	void replied(long sent, @Nullable LockBackendException failure) {
		this.health.replied(sent, failure);
	}

	/** Admits the server to votes as soon as that is safe. */
	void join() {
		long sent = System.nanoTime();
		TimedCall.send(JOIN_TIMEOUT_MILLIS, this.timer, () -> this.node.connect().thenApply((connected) -> true))
			.whenComplete((connected, failure) -> completed(LockBackendException.NO_LOCK, sent, JOIN_TIMEOUT_MILLIS,
					failure));
	}

	/** Restores a tenure that a majority has and this server has lost. */
	void restore(Renew command) {
		TenureProperties properties = command.properties();
		if (properties == null || command.lease().isZero()) {
			return;
		}
		long sent = System.nanoTime();
		send((node) -> node.putBack(command, properties))
			.whenComplete((restored, failure) -> completed(command.name(), sent, ServerHealth.TIMEOUT_MILLIS, failure));
	}

	/**
	 * Records the result of a request that is repeated later, so no caller needs its
	 * failure.
	 */
	private void completed(String name, long sent, long timeoutMillis, @Nullable Throwable thrown) {
		LockBackendException failure = (thrown != null) ? TimedCall.translate(name, this.node, thrown, timeoutMillis)
				: null;
		if (failure != null) {
			logger.debug("Redis at %s could neither be admitted to votes nor have a lock restored".formatted(this.node),
					failure);
		}
		replied(sent, failure);
	}

	/**
	 * Repeats the release of a tenure until the server confirms it or the lease expires.
	 */
	void cancelUntilConfirmed(String name, TenureId tenure, Duration lease) {
		this.unconfirmed.add(new Release(name, tenure, Release.Intent.STAY, null), lease);
	}

	/** Resumes unconfirmed releases in case an error has stopped them. */
	void resumeReleases() {
		this.unconfirmed.ensureWorking();
	}

	/** Returns the number of unconfirmed releases. */
	int unconfirmed() {
		return this.unconfirmed.size();
	}

	void close() {
		this.unconfirmed.close();
		this.node.close();
	}

}
