package io.lockstarter.redis.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Takes a connection from the pool of Jedis for each command, as long as it lasts.
 */
final class JedisConnections {

	/** Whether Jedis has the class, which older versions lack. */
	private static final boolean HAS_CLIENT = ClassUtils.isPresent("redis.clients.jedis.RedisClient",
			JedisConnections.class.getClassLoader());

	private final JedisConnectionFactory connectionFactory;

	private final SerialExecutors lanes;

	private final AtomicInteger opening = new AtomicInteger();

	private volatile @Nullable Pool<Connection> pool;

	JedisConnections(JedisConnectionFactory connectionFactory, SerialExecutors lanes) {
		this.connectionFactory = connectionFactory;
		this.lanes = lanes;
	}

	/**
	 * Run a command after those that are in its lane. Cancelling the future withdraws one
	 * that has not begun.
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
	 * Run a command on the calling thread. No connection to a server that is no master
	 * stays in the pool.
	 */
	<T> T apply(Function<RedisConnection, T> command) {
		try (RedisConnection redis = open()) {
			try {
				if (HAS_CLIENT && redis.getNativeConnection() instanceof redis.clients.jedis.RedisClient client) {
					this.pool = client.getPool();
				}
				return command.apply(redis);
			}
			catch (RuntimeException ex) {
				if (JedisFailures.isOfNoMaster(ex)) {
					hangUp(redis);
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
	 * Whether a command waits for a connection of the pool, all of which may be in use. A
	 * client of Jedis takes one within its commands.
	 */
	boolean isPoolAwaited() {
		Pool<Connection> current = this.pool;
		return this.opening.get() > 0 || (current != null && current.getNumWaiters() > 0);
	}

	boolean useTls() {
		return this.connectionFactory.isUseSsl();
	}

	/** Where they lead to, for people to read. */
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
	 * Let a connection be used no more. The pool drops what is broken, and all that is
	 * idle. Jedis would connect anew what is only disconnected, without a log-in.
	 */
	static void hangUp(RedisConnection connection) {
		Object used = connection.getNativeConnection();
		if (used instanceof Jedis jedis) {
			disconnect(jedis.getConnection());
		}
		else if (HAS_CLIENT && used instanceof redis.clients.jedis.RedisClient client) {
			client.getPool().clear();
		}
	}

	/** What is still to be written is lost with it. */
	private static void disconnect(Connection connection) {
		try {
			connection.forceDisconnect();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Let go of a connection whose subscription has not been ended. To close it would
	 * connect it anew, to say that, and the pool would give it out with the answer
	 * unread. A client with connections of its own has let go of it already.
	 */
	static void drop(RedisConnection connection) {
		try {
			hangUp(connection);
		}
		finally {
			if (connection.getNativeConnection() instanceof Jedis jedis) {
				jedis.close();
			}
		}
	}

}
