package io.lockstarter.redis.client;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * A connection of the locks for commands.
 *
 * @param link the connection, which leads to one server or to all nodes of a cluster
 * @param commands sends commands over the connection
 */
record LettuceConnection(StatefulConnection<byte[], byte[]> link, RedisClusterAsyncCommands<byte[], byte[]> commands) {

	static LettuceConnection of(StatefulConnection<byte[], byte[]> link) {
		return new LettuceConnection(link, (link instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)
				? cluster.async() : ((StatefulRedisConnection<byte[], byte[]>) link).async());
	}

	boolean leadsToCluster() {
		return this.link instanceof StatefulRedisClusterConnection;
	}

}
