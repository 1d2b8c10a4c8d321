package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lockstarter.redis.client.RedisFailure.Kind;

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
final class LettuceWaits {

	private final LettuceConnections connections;

	private final Function<Throwable, RedisFailure> explain;

	private final Map<StatefulRedisConnection<byte[], byte[]>, Link> links = new ConcurrentHashMap<>();

	/**
	 * Creates a sender.
	 * @param connections holds the connection, which nothing else may use
	 * @param explain translates the failure of a command
	 */
	LettuceWaits(LettuceConnections connections, Function<Throwable, RedisFailure> explain) {
		this.connections = connections;
		this.explain = explain;
	}

	CompletableFuture<RedisClient.Acknowledged> callAndWait(List<RedisClient.WaitCall> calls, int replicas,
			Duration timeout) {
		return this.connections.get()
			.thenCompose((opened) -> node(opened.link(), calls.get(0).script().key()))
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
			List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
			calls.forEach((call) -> replies.add(send(call)));
			CompletableFuture<Long> counted = this.node.async()
				.waitForReplication(replicas, timeout.toMillis())
				.toCompletableFuture();
			// A WAIT that nobody needs must not be sent after a reconnection
			CompletableFuture
				.allOf(calls.stream().map(RedisClient.WaitCall::abandoned).toArray(CompletableFuture[]::new))
				.whenComplete((result, failure) -> counted.cancel(false));
			return counted.handle((count, failure) -> {
				if (failure != null) {
					return RedisClient.Acknowledged.withoutCount(replies, LettuceWaits.this.explain.apply(failure));
				}
				if (this.broken) {
					throw new RedisFailure(Kind.LOST, "The connection broke before replicas were counted", null);
				}
				return new RedisClient.Acknowledged(replies, count);
			});
		}

		private CompletableFuture<List<Object>> send(RedisClient.WaitCall call) {
			CompletableFuture<List<Object>> reply = LettuceScripts.evaluate(this.node, call.script(), call.byDigest());
			call.abandoned().whenComplete((result, failure) -> reply.cancel(false));
			return reply;
		}

	}

}
