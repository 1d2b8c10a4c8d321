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

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce leave a connection that is silent although its server answers on a new
 * one: something on the way has dropped it without a word, which TCP itself takes a
 * quarter of an hour to notice. A server that is busy or stopped answers on neither.
 * <p>
 * The connection is closed, and opened anew by the next command. Connections to a cluster
 * are left alone.
 */
final class SilenceCheck {

	private static final LockLog logger = LockLog.of(SilenceCheck.class);

	/** For how long a connection that works may let one wait. */
	private static final Duration LONGEST = Duration.ofSeconds(5);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final @Nullable LettuceConnectionFactory connectionFactory;

	private final StaleConnectionCheck check;

	private volatile @Nullable StatefulRedisConnection<?, ?> connection;

	/** When the last reply to a script came, by {@link System#nanoTime()}. */
	private volatile long lastReply = System.nanoTime();

	/**
	 * Watch the connection that a factory makes.
	 * @param leave closes the connection
	 */
	SilenceCheck(LettuceFactory factory, Runnable leave) {
		this.connectionFactory = factory.known();
		// A server that hangs may keep a thread for as long as Lettuce waits for a
		// connection.
		this.check = new StaleConnectionCheck((task) -> LockThreads.daemon("lock-silence", task).start(), PAUSE, leave);
	}

	/** A connection has been opened. */
	void opened(@Nullable StatefulConnection<?, ?> connection) {
		this.connection = (connection instanceof StatefulRedisConnection<?, ?> single) ? single : null;
	}

	/**
	 * A reply has come. A connection that delivers replies is not silent, however many
	 * commands its next reply has to wait for.
	 */
	void replied() {
		this.lastReply = System.nanoTime();
	}

	/** A command was not answered: see whether none is, if the connection seems open. */
	void check() {
		StatefulRedisConnection<?, ?> current = this.connection;
		LettuceConnectionFactory factory = this.connectionFactory;
		if (factory != null && current != null && current.isOpen()) {
			this.check.leaveIf(() -> isStale(factory, current));
		}
	}

	private boolean isStale(LettuceConnectionFactory factory, StatefulRedisConnection<?, ?> suspect) {
		if (!isSilent(factory, suspect) || this.connection != suspect) {
			return false;
		}
		logger.warn("Redis answers on a new connection, but not on the one in use, which is made anew");
		this.connection = null;
		return true;
	}

	private boolean isSilent(LettuceConnectionFactory factory, StatefulRedisConnection<?, ?> suspect) {
		try {
			awaitAnswerOnNewConnection((RedisClient) factory.getRequiredNativeClient());
			long begin = System.nanoTime();
			long end = begin + LONGEST.toNanos();
			while (System.nanoTime() - end < 0) {
				if (answers(suspect.async().ping().toCompletableFuture(), end)) {
					return false;
				}
			}
			// While it is being made again, others may have had more luck.
			return suspect.isOpen() && this.lastReply - begin < 0;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | RuntimeException ex) {
			logger.debug("The server is down, or the connection is", ex);
		}
		return false;
	}

	/** Whether an answer comes. Lettuce may be set to wait for it for less long. */
	private static boolean answers(CompletableFuture<String> answer, long end)
			throws ExecutionException, InterruptedException {
		try {
			answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			answer.cancel(false);
			return false;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RedisCommandTimeoutException) {
				return false;
			}
			throw ex;
		}
	}

	private static void awaitAnswerOnNewConnection(RedisClient client) {
		try (StatefulRedisConnection<String, String> other = client.connect()) {
			other.sync().ping();
		}
	}

}
