package io.lockstarter.redis.client;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A connection, mostly one of Spring Data, with what is inside.
 *
 * @param source what is closed to give it back
 * @param commands sends commands over it
 */
record LettuceConnection(AutoCloseable source, RedisClusterAsyncCommands<byte[], byte[]> commands) {

	@Nullable StatefulConnection<?, ?> inside() {
		return (this.commands instanceof AbstractRedisAsyncCommands<?, ?> known) ? known.getConnection() : null;
	}

}
