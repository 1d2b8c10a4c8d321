package io.lockstarter.redis.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Access to the connection pool of Jedis. Each command borrows a connection.
 */
final class JedisConnections {

	/** Presence of the class {@code RedisClient} in this version of Jedis. */
	private static final boolean HAS_CLIENT = ClassUtils.isPresent("redis.clients.jedis.RedisClient",
			JedisConnections.class.getClassLoader());

	private final JedisConnectionFactory connectionFactory;

	private final SerialExecutors lanes;

	private final AtomicInteger opening = new AtomicInteger();

	/** Pools of a client that borrows a connection for each command. */
	private volatile Collection<? extends Pool<Connection>> pools = List.of();

	private volatile boolean unified;

	JedisConnections(JedisConnectionFactory connectionFactory, SerialExecutors lanes) {
		this.connectionFactory = connectionFactory;
		this.lanes = lanes;
	}

	/**
	 * Runs a command after those that precede it in its lane. Cancelling the future
	 * withdraws a command that has not begun.
	 */
	<T> CompletableFuture<T> send(Object lane, Function<RedisConnection, T> command) {
		CompletableFuture<T> reply = new CompletableFuture<>();
		Runnable task = () -> {
			if (reply.isDone()) {
				return;
			}
			try {
				apply((redis) -> reply.complete(command.apply(redis)));
			}
			catch (Throwable ex) {
				reply.completeExceptionally(ex);
			}
		};
		this.lanes.run(lane, task);
		reply.whenComplete((value, failure) -> {
			if (reply.isCancelled()) {
				this.lanes.remove(lane, task);
			}
		});
		return reply;
	}

	/**
	 * Runs a command on the calling thread. A connection to a server that is not a master
	 * is removed from the pool.
	 */
	<T> T apply(Function<RedisConnection, T> command) {
		try (RedisConnection redis = open()) {
			try {
				Object client = redis.getNativeConnection();
				this.unified = client instanceof UnifiedJedis;
				// Listing the nodes of a cluster may block, as the command may.
				this.pools = poolsOf(client);
				return command.apply(redis);
			}
			catch (RuntimeException ex) {
				if (JedisFailures.isFromNonMaster(ex)) {
					discard(redis);
				}
				throw ex;
			}
		}
	}

	RedisConnection open() {
		this.lanes.requireOpen();
		this.opening.incrementAndGet();
		try {
			return this.connectionFactory.getConnection();
		}
		finally {
			this.opening.decrementAndGet();
		}
	}

	/**
	 * Returns whether a command is waiting for a connection because all connections of
	 * the pool may be in use. A {@code RedisClient} of Jedis borrows a connection within
	 * each command.
	 */
	boolean isPoolExhausted() {
		return this.opening.get() > 0 || this.pools.stream().anyMatch((pool) -> pool.getNumWaiters() > 0);
	}

	/**
	 * Returns whether the client borrows a connection for each command from a pool that
	 * it does not show, so that nobody can tell whether a command waits for the pool or
	 * for Redis. This is a unified client with Sentinel.
	 */
	boolean isPoolHidden() {
		return this.unified && this.pools.isEmpty();
	}

	// Spring Data still uses JedisCluster, which Jedis has deprecated.
	@SuppressWarnings("deprecation")
	private static Collection<? extends Pool<Connection>> poolsOf(Object client) {
		if (client instanceof redis.clients.jedis.JedisCluster cluster) {
			return cluster.getClusterNodes().values();
		}
		if (HAS_CLIENT && client instanceof redis.clients.jedis.RedisClusterClient cluster) {
			return cluster.getClusterNodes().values();
		}
		return (HAS_CLIENT && client instanceof redis.clients.jedis.RedisClient single) ? List.of(single.getPool())
				: List.of();
	}

	boolean useTls() {
		return this.connectionFactory.isUseSsl();
	}

	/** Returns a readable description of the address and its client. */
	String address() {
		return RedisAddress.describe(configuration(), "Jedis");
	}

	String topology() {
		return RedisAddress.topology(configuration());
	}

	private RedisConfiguration configuration() {
		return Stream
			.of(this.connectionFactory.getClusterConfiguration(), this.connectionFactory.getSentinelConfiguration())
			.filter(Objects::nonNull)
			.map(RedisConfiguration.class::cast)
			.findFirst()
			.orElseGet(this.connectionFactory::getStandaloneConfiguration);
	}

	/**
	 * Makes a connection unusable. The pool then removes the connection, and also all
	 * idle ones. Jedis would reconnect a connection that is merely disconnected, but
	 * without authentication.
	 */
	static void discard(RedisConnection connection) {
		Object used = connection.getNativeConnection();
		if (used instanceof Jedis jedis) {
			disconnect(jedis.getConnection());
		}
		else if (HAS_CLIENT && used instanceof redis.clients.jedis.RedisClient client) {
			client.getPool().clear();
		}
	}

	/** Closes the socket without flushing its output. */
	private static void disconnect(Connection connection) {
		try {
			connection.forceDisconnect();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Drops a connection that is still subscribed. Closing it normally would reconnect it
	 * in order to unsubscribe, and the pool would then lend it with an unread reply. A
	 * {@code RedisClient} manages its connections itself and has dropped this one
	 * already.
	 */
	static void drop(RedisConnection connection) {
		try {
			discard(connection);
		}
		finally {
			if (connection.getNativeConnection() instanceof Jedis jedis) {
				jedis.close();
			}
		}
	}

}
