package io.lockstarter.redis.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Access to the locks' connection pool of Jedis. Each command borrows a connection.
 */
final class JedisConnections {

	private final JedisFactory factory;

	private final SerialExecutors lanes;

	private final AtomicInteger generation = new AtomicInteger();

	JedisConnections(JedisFactory factory, SerialExecutors lanes) {
		this.factory = factory;
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
				reply.complete(applyToMaster(command));
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
	 * Runs a command, and repeats it over another connection if its connection leads to a
	 * demoted master. The pool may contain both kinds after a failover, even if the
	 * latest search for the master has failed. A server that accepts no writes has not
	 * run the command.
	 */
	private <T> T applyToMaster(Function<RedisConnection, T> command) {
		try {
			return apply(command);
		}
		catch (RuntimeException ex) {
			if (!JedisFailures.isReadOnly(ex)) {
				throw ex;
			}
			return apply(command);
		}
	}

	/**
	 * Runs a command on the calling thread. A connection to a server that is not a master
	 * is removed from the pool.
	 */
	<T> T apply(Function<RedisConnection, T> command) {
		int begun = this.generation.get();
		try (RedisConnection redis = open()) {
			try {
				return command.apply(redis);
			}
			catch (RuntimeException ex) {
				if (JedisFailures.isFromNonMaster(ex)) {
					discard(redis);
				}
				throw ex;
			}
			finally {
				if (begun != this.generation.get()) {
					discard(redis);
				}
			}
		}
	}

	/**
	 * Removes the connections that are in use from the pool after their commands: they
	 * may lead to a demoted master, which runs commands that write nothing.
	 */
	void discardBorrowed() {
		this.generation.incrementAndGet();
	}

	RedisConnection open() {
		this.lanes.requireOpen();
		return this.factory.get().getConnection();
	}

	/**
	 * Makes a connection unusable. The pool then removes the connection. Jedis would
	 * reconnect a connection that is merely disconnected, but without authentication.
	 */
	static void discard(RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			disconnect(jedis.getConnection());
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
	 * in order to unsubscribe, and the pool would then lend it with an unread reply.
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
