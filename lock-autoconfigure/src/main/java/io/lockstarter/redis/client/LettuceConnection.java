package io.lockstarter.redis.client;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Connection for commands, usually one of Spring Data.
 *
 * @param source the resource to close in order to release the connection
 * @param commands sends commands over the connection
 */
record LettuceConnection(AutoCloseable source, RedisClusterAsyncCommands<byte[], byte[]> commands) {

	@Nullable StatefulConnection<?, ?> nativeConnection() {
		return (this.commands instanceof AbstractRedisAsyncCommands<?, ?> known) ? known.getConnection() : null;
	}

}
