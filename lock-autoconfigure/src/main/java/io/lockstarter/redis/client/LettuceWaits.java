package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lockstarter.redis.client.RedisFailure.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Sender of scripts that are followed by WAIT, over separate connections, one to each
 * node.
 * <p>
 * After reconnecting, Lettuce sends every command again that has no reply. A repeated
 * WAIT without its scripts would count the replicas of a server that may not have run the
 * scripts. So the result is valid only if the connection has not broken since the scripts
 * were sent.
 * <p>
 * Safe for use by multiple threads.
 */
final class LettuceWaits implements AutoCloseable {

	private final RedisConnectionFactory connectionFactory;

	private final Executor connector;

	private final Map<StatefulRedisConnection<byte[], byte[]>, Link> links = new ConcurrentHashMap<>();

	private @Nullable CompletableFuture<StatefulConnection<byte[], byte[]>> connection;

	private boolean closed;

	LettuceWaits(RedisConnectionFactory connectionFactory, Executor connector) {
		this.connectionFactory = connectionFactory;
		this.connector = connector;
	}

	CompletableFuture<RedisClient.Acknowledged> callAndWait(List<RedisClient.WaitCall> calls, int replicas,
			Duration timeout) {
		return connection().thenCompose((opened) -> node(opened, calls.get(0).script().key()))
			.thenCompose((node) -> this.links.computeIfAbsent(node, Link::new).callAndWait(calls, replicas, timeout));
	}

	private static CompletableFuture<StatefulRedisConnection<byte[], byte[]>> node(
			StatefulConnection<byte[], byte[]> connection, String key) {
		if (!(connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
			return CompletableFuture.completedFuture((StatefulRedisConnection<byte[], byte[]>) connection);
		}
		RedisClusterNode node = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
		return (node != null) ? cluster.getConnectionAsync(node.getNodeId()) : CompletableFuture
			.failedFuture(new RedisFailure(Kind.REFUSED, "CLUSTERDOWN No known node serves the slot", null));
	}

	private synchronized CompletableFuture<StatefulConnection<byte[], byte[]>> connection() {
		CompletableFuture<StatefulConnection<byte[], byte[]>> current = this.connection;
		if (this.closed) {
			return CompletableFuture.failedFuture(new IllegalStateException("The lock backend is closed"));
		}
		if (current == null || current.isCompletedExceptionally() || isClosed(current)) {
			current = CompletableFuture.supplyAsync(this::open, this.connector);
			this.connection = current;
		}
		return current;
	}

	private static boolean isClosed(CompletableFuture<StatefulConnection<byte[], byte[]>> opened) {
		return opened.isDone() && opened.join() instanceof RedisChannelHandler<?, ?> handler
				&& (handler.isClosed() || (!handler.isOpen() && !handler.getOptions().isAutoReconnect()));
	}

	private StatefulConnection<byte[], byte[]> open() {
		if (!(this.connectionFactory instanceof LettuceConnectionFactory factory)) {
			throw new IllegalStateException(
					"Waiting for replicas needs a LettuceConnectionFactory or a JedisConnectionFactory, but the connection factory is a "
							+ this.connectionFactory.getClass().getName());
		}
		AbstractRedisClient client = factory.getRequiredNativeClient();
		return (client instanceof RedisClusterClient cluster) ? cluster.connect(ByteArrayCodec.INSTANCE)
				: ((io.lettuce.core.RedisClient) client).connect(ByteArrayCodec.INSTANCE);
	}

	/** Closes the connection, so that the next call opens another one. */
	synchronized void reset() {
		if (this.connection != null) {
			this.connection.thenAccept(StatefulConnection::closeAsync);
			this.connection = null;
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		reset();
	}

	/**
	 * Connection to a node, until it breaks.
	 */
	private final class Link implements RedisConnectionStateListener {

		private final StatefulRedisConnection<byte[], byte[]> node;

		private volatile boolean broken;

		Link(StatefulRedisConnection<byte[], byte[]> node) {
			this.node = node;
			node.addListener(this);
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			this.broken = true;
			LettuceWaits.this.links.remove(this.node, this);
			this.node.removeListener(this);
		}

		CompletableFuture<RedisClient.Acknowledged> callAndWait(List<RedisClient.WaitCall> calls, int replicas,
				Duration timeout) {
			RedisAsyncCommands<byte[], byte[]> redis = this.node.async();
			List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
			calls.forEach((call) -> replies.add(send(redis, call)));
			return redis.waitForReplication(replicas, timeout.toMillis()).toCompletableFuture().thenApply((count) -> {
				if (this.broken) {
					throw new RedisFailure(Kind.LOST, "The connection broke before replicas were counted", null);
				}
				return new RedisClient.Acknowledged(replies, count);
			});
		}

		private static CompletableFuture<List<Object>> send(RedisAsyncCommands<byte[], byte[]> redis,
				RedisClient.WaitCall call) {
			CompletableFuture<List<Object>> reply = LettuceScripts.evaluate(redis, call.script(), call.byDigest())
				.toCompletableFuture();
			call.abandoned().whenComplete((result, failure) -> reply.cancel(false));
			return reply;
		}

	}

}
