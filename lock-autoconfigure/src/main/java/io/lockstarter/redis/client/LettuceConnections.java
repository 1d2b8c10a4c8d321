package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.LuaScript;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Holder of the connection for commands: Spring Data's shared connection, or a connection
 * of the locks' own if the factory has a pool.
 * <p>
 * Spring Data connects on first use and blocks meanwhile, so this step runs on an
 * executor. From then on Lettuce itself reconnects, to each node of a cluster separately
 * and without blocking. A connection is replaced if it was closed because its factory was
 * restarted, or if it broke and Lettuce is configured not to reconnect.
 * <p>
 * Safe for use by multiple threads.
 */
final class LettuceConnections implements AutoCloseable {

	private static final LockLog logger = LockLog.of(LettuceConnections.class);

	private final LettuceFactory factory;

	private final Executor connector;

	private final Consumer<LettuceConnection> onOpened;

	private final Runnable onReplaced;

	private volatile boolean cluster;

	private volatile @Nullable CompletableFuture<LettuceConnection> current;

	/**
	 * Creates a holder without opening a connection.
	 * @param connector runs tasks that block while they connect
	 * @param onOpened receives each connection before it is used
	 * @param onReplaced is run when a connection was released for the next command to
	 * open another one
	 */
	LettuceConnections(LettuceFactory factory, Executor connector, Consumer<LettuceConnection> onOpened,
			Runnable onReplaced) {
		this.factory = factory;
		this.connector = connector;
		this.onOpened = onOpened;
		this.onReplaced = onReplaced;
		this.cluster = factory.mayLeadToCluster();
	}

	/** Returns a future of the connection, and opens the connection if necessary. */
	CompletableFuture<LettuceConnection> get() {
		CompletableFuture<LettuceConnection> known = this.current;
		return (known != null && !known.isCompletedExceptionally()) ? known : begin();
	}

	private synchronized CompletableFuture<LettuceConnection> begin() {
		CompletableFuture<LettuceConnection> begun = this.current;
		if (begun == null || begun.isCompletedExceptionally()) {
			try {
				begun = CompletableFuture.supplyAsync(this::open, this.connector);
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				begun = CompletableFuture.failedFuture(ex);
			}
			this.current = begun;
		}
		return begun;
	}

	private LettuceConnection open() {
		// The threads that send scripts later are event loops, which must not block.
		LuaScript.readAll();
		LettuceConnectionFactory known = this.factory.known();
		LettuceConnection opened = (known != null && this.factory.usesPool()) ? LettuceFactory.openOwn(known)
				: openShared();
		this.onOpened.accept(opened);
		return opened;
	}

	@SuppressWarnings("unchecked")
	private LettuceConnection openShared() {
		RedisConnection opened = this.factory.shared();
		if (opened == null) {
			throw new IllegalStateException(
					"The connection factory %s returned null as its connection. If it is a mock in a test, set distributed-lock.backend=in-memory"
						.formatted(this.factory));
		}
		if (opened.getNativeConnection() instanceof RedisClusterAsyncCommands<?, ?> commands) {
			LettuceConnection shared = new LettuceConnection(opened,
					(RedisClusterAsyncCommands<byte[], byte[]>) commands);
			if (this.factory.known() == null) {
				this.cluster = shared.nativeConnection() instanceof StatefulRedisClusterConnection;
			}
			return shared;
		}
		boolean jedis = opened.getNativeConnection().getClass().getName().startsWith("redis.clients.jedis.");
		opened.close();
		throw new IllegalStateException(jedis
				? "The connection factory is a %s, which hides the JedisConnectionFactory that locks need. Define a JedisConnectionFactory for the locks as a bean named distributedLockConnectionFactory"
					.formatted(this.factory)
				: "Locks need Lettuce or Jedis as Redis client, but the connection factory is a %s. Define a LettuceConnectionFactory or a JedisConnectionFactory for the locks as a bean named distributedLockConnectionFactory"
					.formatted(this.factory));
	}

	/** Returns the connection, or {@code null} if none is open. */
	@Nullable LettuceConnection ready() {
		CompletableFuture<LettuceConnection> known = this.current;
		return (known != null && isReady(known)) ? known.join() : null;
	}

	/** Returns whether a connection is still the current one. */
	boolean isCurrent(LettuceConnection connection) {
		LettuceConnection ready = ready();
		return ready != null && ready.source() == connection.source();
	}

	/** Returns Lettuce's connection, or {@code null} if none is open. */
	@Nullable StatefulConnection<?, ?> nativeConnection() {
		LettuceConnection ready = ready();
		return (ready != null) ? ready.nativeConnection() : null;
	}

	/**
	 * Returns whether commands go to a cluster, as far as this is known before the first
	 * connection.
	 */
	boolean isCluster() {
		return this.cluster;
	}

	boolean isConnectedToCluster() {
		return nativeConnection() instanceof StatefulRedisClusterConnection;
	}

	/**
	 * Replaces a connection that was closed because its factory was stopped and started
	 * again, or that has broken permanently.
	 * @return whether the connection was closed or has broken
	 */
	boolean replaceClosed() {
		StatefulConnection<?, ?> opened = nativeConnection();
		if (opened instanceof RedisChannelHandler<?, ?> handler && handler.isClosed()) {
			if (!this.factory.isStopped()) {
				replace();
			}
			return true;
		}
		if (opened == null || opened.isOpen() || this.factory.reconnects()) {
			return false;
		}
		drop();
		return true;
	}

	/**
	 * Drops a connection that is unresponsive, broken, or connected to a demoted master.
	 * It is usually the connection that the application shares, for which it is just as
	 * useless.
	 */
	void drop() {
		LettuceConnectionFactory known = this.factory.known();
		if (known != null && !this.factory.usesPool()) {
			known.resetConnection();
		}
		replace();
	}

	private void replace() {
		close();
		this.onReplaced.run();
	}

	/** Releases the connection. */
	@Override
	public void close() {
		CompletableFuture<LettuceConnection> released;
		synchronized (this) {
			released = this.current;
			this.current = null;
		}
		if (released != null && isReady(released)) {
			try {
				released.join().source().close();
			}
			catch (Exception ex) {
				logger.debug("Releasing the connection failed", ex);
			}
		}
	}

	private static boolean isReady(CompletableFuture<?> connection) {
		return connection.isDone() && !connection.isCompletedExceptionally();
	}

}
