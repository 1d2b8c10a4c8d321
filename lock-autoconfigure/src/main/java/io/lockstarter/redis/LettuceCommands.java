package io.lockstarter.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Sends commands over Lettuce's asynchronous interface, on the connection that Spring
 * Data shares.
 * <p>
 * Spring Data connects on first use and blocks meanwhile, so that step runs on an
 * executor; from then on Lettuce itself reconnects, and commands go straight to it.
 */
final class LettuceCommands implements RedisCommands {

	private final RedisConnectionFactory connectionFactory;

	private final Executor connector;

	private volatile @Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connection;

	LettuceCommands(RedisConnectionFactory connectionFactory, Executor connector) {
		this.connectionFactory = connectionFactory;
		this.connector = connector;
	}

	@Override
	public CompletableFuture<List<Object>> run(LuaScript script, List<String> keys, List<String> arguments) {
		byte[][] keyBytes = bytes(keys);
		byte[][] argumentBytes = bytes(arguments);
		return send((redis) -> {
			CompletableFuture<List<Object>> reply = new CompletableFuture<>();
			RedisFuture<List<Object>> first = redis.evalsha(script.sha(), ScriptOutputType.MULTI, keyBytes,
					argumentBytes);
			cancelWith(reply, first);
			first.whenComplete((result, failure) -> {
				if (failure != null && RedisErrors.isNoScript(failure)) {
					RedisFuture<List<Object>> second = redis.eval(script.text(), ScriptOutputType.MULTI, keyBytes,
							argumentBytes);
					cancelWith(reply, second);
					second.whenComplete((loaded, cause) -> complete(reply, loaded, cause));
				}
				else {
					complete(reply, result, failure);
				}
			});
			return reply;
		});
	}

	@Override
	public CompletableFuture<Long> publish(String channel, String message) {
		return send((redis) -> {
			CompletableFuture<Long> reply = new CompletableFuture<>();
			RedisFuture<Long> sent = redis.publish(bytes(channel), bytes(message));
			cancelWith(reply, sent);
			sent.whenComplete((receivers, failure) -> complete(reply, receivers, failure));
			return reply;
		});
	}

	@Override
	public boolean spansSlots() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> current = this.connection;
		return current != null && current.isDone() && !current.isCompletedExceptionally()
				&& current.join() instanceof RedisAsyncCommands;
	}

	private <T> CompletableFuture<T> send(
			Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletableFuture<T>> command) {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> current = connection();
		if (current.isDone() && !current.isCompletedExceptionally()) {
			return command.apply(current.join());
		}
		CompletableFuture<T> reply = new CompletableFuture<>();
		current.whenComplete((redis, failure) -> {
			if (failure != null) {
				reply.completeExceptionally(failure);
			}
			else if (!reply.isDone()) {
				CompletableFuture<T> sent = command.apply(redis);
				cancelWith(reply, sent);
				sent.whenComplete((result, cause) -> complete(reply, result, cause));
			}
		});
		return reply;
	}

	private CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connection() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> current = this.connection;
		return (current != null && !current.isCompletedExceptionally()) ? current : newConnection();
	}

	private synchronized CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> newConnection() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> current = this.connection;
		if (current == null || current.isCompletedExceptionally()) {
			current = CompletableFuture.supplyAsync(this::connect, this.connector);
			this.connection = current;
		}
		return current;
	}

	@SuppressWarnings("unchecked")
	private RedisClusterAsyncCommands<byte[], byte[]> connect() {
		RedisConnection connection = this.connectionFactory.getConnection();
		return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
	}

	/**
	 * Forget the connection, so that the next command asks Spring Data for one.
	 */
	void reset() {
		this.connection = null;
	}

	private static void cancelWith(CompletableFuture<?> reply, Future<?> sent) {
		reply.whenComplete((result, failure) -> {
			if (reply.isCancelled()) {
				sent.cancel(false);
			}
		});
	}

	private <T> void complete(CompletableFuture<T> reply, T result, @Nullable Throwable failure) {
		if (failure == null) {
			reply.complete(result);
			return;
		}
		if (String.valueOf(failure.getMessage()).contains("Connection is closed")) {
			reset();
		}
		reply.completeExceptionally(failure);
	}

	private static byte[][] bytes(List<String> texts) {
		byte[][] bytes = new byte[texts.size()][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = bytes(texts.get(i));
		}
		return bytes;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
