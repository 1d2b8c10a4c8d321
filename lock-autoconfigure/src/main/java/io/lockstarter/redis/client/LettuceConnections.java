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
 * Keeps a connection for commands: the one that Spring Data shares. Where that comes from
 * a pool, it is one of the locks' own instead.
 * <p>
 * Spring Data connects on first use and blocks meanwhile, so that step runs on an
 * executor; from then on Lettuce itself reconnects, to each node of a cluster on its own
 * and without blocking. A connection that was closed for good, because its factory was
 * restarted, is replaced, and so is one that broke where Lettuce is told not to
 * reconnect.
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
	 * Open nothing yet.
	 * @param connector runs what blocks while it connects
	 * @param onOpened is told each connection, before it is used
	 * @param onReplaced is told when another one is to be opened
	 */
	LettuceConnections(LettuceFactory factory, Executor connector, Consumer<LettuceConnection> onOpened,
			Runnable onReplaced) {
		this.factory = factory;
		this.connector = connector;
		this.onOpened = onOpened;
		this.onReplaced = onReplaced;
		this.cluster = factory.mayLeadToCluster();
	}

	/** Completes with the connection, which is opened if need be. */
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
		// Those who send them later must not block, as event loops.
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
					"The connection factory %s gives no connection, as a mock does: in tests, set distributed-lock.backend=in-memory"
						.formatted(this.factory));
		}
		if (opened.getNativeConnection() instanceof RedisClusterAsyncCommands<?, ?> commands) {
			LettuceConnection shared = new LettuceConnection(opened,
					(RedisClusterAsyncCommands<byte[], byte[]>) commands);
			if (this.factory.known() == null) {
				this.cluster = shared.inside() instanceof StatefulRedisClusterConnection;
			}
			return shared;
		}
		boolean jedis = opened.getNativeConnection().getClass().getName().startsWith("redis.clients.jedis.");
		opened.close();
		throw new IllegalStateException(jedis
				? "The connection factory is a %s, which hides the JedisConnectionFactory that locks need. Define one for the locks alone, as a bean named distributedLockConnectionFactory"
					.formatted(this.factory)
				: "Locks need Lettuce or Jedis as Redis client, but the connection factory is a %s. Define a LettuceConnectionFactory or a JedisConnectionFactory for the locks alone, as a bean named distributedLockConnectionFactory"
					.formatted(this.factory));
	}

	/** The connection, if it is open already. */
	@Nullable LettuceConnection ready() {
		CompletableFuture<LettuceConnection> known = this.current;
		return (known != null && isReady(known)) ? known.join() : null;
	}

	/** Whether it has not been replaced meanwhile. */
	boolean isCurrent(LettuceConnection connection) {
		LettuceConnection ready = ready();
		return ready != null && ready.source() == connection.source();
	}

	/** What is inside the connection, if it is open already. */
	@Nullable StatefulConnection<?, ?> inside() {
		LettuceConnection ready = ready();
		return (ready != null) ? ready.inside() : null;
	}

	/** Whether commands go to a cluster, as far as is known before it is connected. */
	boolean isCluster() {
		return this.cluster;
	}

	boolean isConnectedToCluster() {
		return inside() instanceof StatefulRedisClusterConnection;
	}

	/**
	 * Replace what was closed because its factory was stopped, and started again, or what
	 * has broken for good.
	 * @return whether it was closed, or has broken
	 */
	boolean replaceClosed() {
		StatefulConnection<?, ?> opened = inside();
		if (opened instanceof RedisChannelHandler<?, ?> handler && handler.isClosed()) {
			if (!this.factory.isStopped()) {
				replace();
			}
			return true;
		}
		if (opened == null || opened.isOpen() || this.factory.reconnects()) {
			return false;
		}
		leave();
		return true;
	}

	/**
	 * Closes a connection that hangs, is broken, or leads to a former master. It is
	 * usually the one that the application shares, for which it is just as useless.
	 */
	void leave() {
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

	/** Give the connection back. */
	@Override
	public void close() {
		CompletableFuture<LettuceConnection> gone;
		synchronized (this) {
			gone = this.current;
			this.current = null;
		}
		if (gone != null && isReady(gone)) {
			try {
				gone.join().source().close();
			}
			catch (Exception ex) {
				logger.debug("Giving the connection back failed", ex);
			}
		}
	}

	private static boolean isReady(CompletableFuture<?> connection) {
		return connection.isDone() && !connection.isCompletedExceptionally();
	}

}
