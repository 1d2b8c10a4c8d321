package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Finds out whether the connection of Lettuce leads to a former master, which it is made
 * to leave then.
 */
final class LettuceMasterProbe {

	private static final LockLog logger = LockLog.of(LettuceMasterProbe.class);

	private static final Duration LONGEST = Duration.ofSeconds(1);

	private final LettuceFactory factory;

	private final LettuceConnections connections;

	private final ScriptCall probe;

	private final Runnable onMaster;

	/**
	 * Probe nothing yet.
	 * @param probe a script call that fails where no writes are taken
	 * @param onMaster is told when the connection leads to a server that takes writes, so
	 * that it was another one that does not
	 */
	LettuceMasterProbe(LettuceFactory factory, LettuceConnections connections, ScriptCall probe, Runnable onMaster) {
		this.factory = factory;
		this.connections = connections;
		this.probe = probe;
		this.onMaster = onMaster;
	}

	/**
	 * Find out, by blocking, whether commands go to a server that takes writes from now
	 * on.
	 */
	boolean find() {
		LettuceConnection current = this.connections.ready();
		if (current == null) {
			return true;
		}
		if (takesWrites(current.commands())) {
			// So it is others that lead to a former master, or it has been left.
			this.onMaster.run();
			return true;
		}
		LettuceConnectionFactory known = this.factory.known();
		if (known == null || this.connections.isConnectedToCluster()) {
			return false;
		}
		try (StatefulRedisConnection<byte[], byte[]> other = LettuceFactory.openNew(known)) {
			if (!takesWrites((RedisClusterAsyncCommands<byte[], byte[]>) other.async())) {
				return false;
			}
		}
		if (this.connections.isCurrent(current)) {
			logger.warn("Redis takes writes on a new connection, but not on the one in use, which is made anew");
			this.connections.leave();
		}
		return true;
	}

	private boolean takesWrites(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		try {
			LettuceScripts.evaluate(redis, this.probe, false)
				.toCompletableFuture()
				.get(LONGEST.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("The server takes no writes", ex);
			return false;
		}
	}

}
