package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Check that drops an unresponsive connection of Lettuce whose server replies on a new
 * one. A device on the network may have discarded the connection without a notice, which
 * TCP itself detects only after a quarter of an hour. A server that is busy or stopped
 * replies on neither connection.
 * <p>
 * The connection is closed, and the next command opens another one. Connections to a
 * cluster are not checked.
 */
final class UnresponsiveConnectionCheck {

	private static final LockLog logger = LockLog.of(UnresponsiveConnectionCheck.class);

	/** Time after which a connection without any reply counts as unresponsive: 5 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Minimum time between two checks: 1 s. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final LettuceFactory factory;

	private final StaleConnectionCheck check;

	private volatile @Nullable StatefulRedisConnection<?, ?> connection;

	/** Time of the last reply to a script, by {@link System#nanoTime()}. */
	private volatile long lastReply = System.nanoTime();

	/**
	 * Creates a check of the connection of a factory.
	 * @param drop drops the connection
	 */
	UnresponsiveConnectionCheck(LettuceFactory factory, Runnable drop) {
		this.factory = factory;
		// A hung server may occupy the thread for as long as Lettuce's connect timeout.
		this.check = new StaleConnectionCheck((task) -> LockThreads.daemon("lock-connection-check", task).start(),
				PAUSE, drop);
	}

	/** Starts to watch a connection that was opened. */
	void opened(StatefulConnection<?, ?> connection) {
		this.connection = (connection instanceof StatefulRedisConnection<?, ?> single) ? single : null;
	}

	/**
	 * Records a reply. A connection that delivers replies is not unresponsive, however
	 * long other commands have to wait.
	 */
	void replied() {
		this.lastReply = System.nanoTime();
	}

	/**
	 * Checks the connection in the background if it seems open, after a command that got
	 * no reply.
	 */
	void check() {
		StatefulRedisConnection<?, ?> current = this.connection;
		if (current != null && current.isOpen()) {
			this.check.dropIf(() -> isStale(current));
		}
	}

	private boolean isStale(StatefulRedisConnection<?, ?> suspect) {
		if (!isUnresponsive(suspect) || this.connection != suspect) {
			return false;
		}
		logger.warn("Redis replies on a new connection, but not on the current one, which is replaced");
		this.connection = null;
		return true;
	}

	private boolean isUnresponsive(StatefulRedisConnection<?, ?> suspect) {
		try {
			awaitReplyOnNewConnection((RedisClient) this.factory.get().getRequiredNativeClient());
			long begin = System.nanoTime();
			long end = begin + TIMEOUT.toNanos();
			while (System.nanoTime() - end < 0) {
				if (isReplied(suspect.async().ping().toCompletableFuture(), end)) {
					return false;
				}
			}
			// While Lettuce reconnects, or if other commands got replies, it is kept.
			return suspect.isOpen() && this.lastReply - begin < 0;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | RuntimeException ex) {
			logger.debug("The server or its connection is down", ex);
		}
		return false;
	}

	/**
	 * Waits for a reply, and returns whether it came. Lettuce's own timeout may be
	 * shorter.
	 */
	private static boolean isReplied(CompletableFuture<String> reply, long end)
			throws ExecutionException, InterruptedException {
		try {
			reply.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			reply.cancel(false);
			return false;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RedisCommandTimeoutException) {
				return false;
			}
			throw ex;
		}
	}

	private static void awaitReplyOnNewConnection(RedisClient client) {
		try (StatefulRedisConnection<String, String> other = client.connect()) {
			other.sync().ping();
		}
	}

}
