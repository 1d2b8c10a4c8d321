package io.lockstarter.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The few commands the backend sends, over Lettuce's asynchronous interface and the
 * connection that Spring Data shares. Nothing blocks; failures are Lettuce's. Cancelling
 * a future withdraws a command that was not yet sent.
 * <p>
 * Spring Data connects on first use and blocks meanwhile, so that step runs on an
 * executor; from then on Lettuce itself reconnects, and commands go straight to it. A
 * connection that was closed for good, because its factory was restarted, is replaced.
 */
final class LettuceCommands implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LettuceCommands.class);

	private static final long RESEND_MILLIS = 10;

	private final RedisConnectionFactory connectionFactory;

	private final Executor connector;

	private final Executor later;

	private final Runnable onReplaced;

	private volatile @Nullable CompletableFuture<Connection> connection;

	/**
	 * Send commands to where a factory leads.
	 * @param connector runs what may block
	 * @param onReplaced is told when the factory has closed its connections
	 */
	LettuceCommands(RedisConnectionFactory connectionFactory, Executor connector, Runnable onReplaced) {
		this.connectionFactory = connectionFactory;
		this.connector = connector;
		this.later = CompletableFuture.delayedExecutor(RESEND_MILLIS, TimeUnit.MILLISECONDS, connector);
		this.onReplaced = onReplaced;
	}

	/** Run a script, loading it if the server does not know it. */
	CompletableFuture<List<Object>> run(LuaScript script, List<String> keys, List<String> arguments) {
		byte[][] keyBytes = bytes(keys);
		byte[][] argumentBytes = bytes(arguments);
		return send((redis) -> redis.evalsha(script.sha(), ScriptOutputType.MULTI, keyBytes, argumentBytes),
				(redis) -> redis.eval(script.text(), ScriptOutputType.MULTI, keyBytes, argumentBytes));
	}

	/** Publish a message; completes with the number of subscribers reached. */
	CompletableFuture<Long> publish(String channel, String message) {
		Command<Long> command = (redis) -> redis.publish(bytes(channel), bytes(message));
		return send(command, command);
	}

	/**
	 * Whether the connection leads to a cluster: a script call names one slot then, and a
	 * message is counted on one node.
	 */
	boolean isCluster() {
		CompletableFuture<Connection> current = this.connection;
		return current != null && isReady(current)
				&& current.join().commands instanceof RedisAdvancedClusterAsyncCommands;
	}

	/** Completes when there is a connection, at once if there is one. */
	CompletableFuture<?> connect() {
		return connection();
	}

	private <T> CompletableFuture<T> send(Command<T> command, Command<T> ifScriptIsUnknown) {
		CompletableFuture<T> reply = new CompletableFuture<>();
		send(command, ifScriptIsUnknown, reply, true);
		return reply;
	}

	private <T> void send(Command<T> command, Command<T> ifScriptIsUnknown, CompletableFuture<T> reply,
			boolean mayReplace) {
		dispatch(command, reply, (failure) -> {
			if (RedisErrors.isNoScript(failure)) {
				send(ifScriptIsUnknown, ifScriptIsUnknown, reply, mayReplace);
			}
			else if (mayReplace && isClosed(failure)) {
				// It was not sent. The factory may have a new connection.
				replace();
				send(command, ifScriptIsUnknown, reply, false);
			}
			else if (failure instanceof IOException) {
				// The connection broke, and Lettuce is just about to notice. All commands
				// are
				// idempotent, so send it again a moment later, for as long as somebody
				// waits
				// for the reply.
				this.later.execute(() -> send(command, ifScriptIsUnknown, reply, mayReplace));
			}
			else {
				reply.completeExceptionally(failure);
			}
		});
	}

	private <T> void dispatch(Command<T> command, CompletableFuture<T> reply, FailureHandler onFailure) {
		CompletableFuture<Connection> current = connection();
		if (isReady(current)) {
			dispatch(current.join(), command, reply, onFailure);
			return;
		}
		current.whenComplete((opened, failure) -> {
			if (failure != null) {
				reply.completeExceptionally(failure);
			}
			else {
				dispatch(opened, command, reply, onFailure);
			}
		});
	}

	private static <T> void dispatch(Connection connection, Command<T> command, CompletableFuture<T> reply,
			FailureHandler onFailure) {
		if (reply.isDone()) {
			return;
		}
		try {
			var sent = command.apply(connection.commands);
			reply.whenComplete((result, failure) -> {
				if (reply.isCancelled() && sent instanceof Future<?> future) {
					future.cancel(false);
				}
			});
			sent.whenComplete((result, failure) -> {
				if (failure != null) {
					onFailure.handle(failure);
				}
				else {
					reply.complete(result);
				}
			});
		}
		catch (RuntimeException ex) {
			// Some of Lettuce's writers throw where others complete the future.
			onFailure.handle(ex);
		}
	}

	private static boolean isClosed(Throwable failure) {
		return String.valueOf(failure.getMessage()).contains("Connection is closed");
	}

	private static boolean isReady(CompletableFuture<?> connection) {
		return connection.isDone() && !connection.isCompletedExceptionally();
	}

	private CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> current = this.connection;
		return (current != null && !current.isCompletedExceptionally()) ? current : newConnection();
	}

	private synchronized CompletableFuture<Connection> newConnection() {
		CompletableFuture<Connection> current = this.connection;
		if (current == null || current.isCompletedExceptionally()) {
			try {
				current = CompletableFuture.supplyAsync(this::open, this.connector);
			}
			catch (RuntimeException ex) {
				current = CompletableFuture.failedFuture(ex);
			}
			this.connection = current;
		}
		return current;
	}

	@SuppressWarnings("unchecked")
	private Connection open() {
		RedisConnection opened = this.connectionFactory.getConnection();
		if (opened.getNativeConnection() instanceof RedisClusterAsyncCommands<?, ?> commands) {
			return new Connection(opened, (RedisClusterAsyncCommands<byte[], byte[]>) commands);
		}
		opened.close();
		throw new IllegalStateException(
				"Locks need Lettuce as Redis client, but the connection factory is a %s: remove the other client,"
					.formatted(this.connectionFactory.getClass().getName())
						+ " or define a connection factory of Lettuce");
	}

	private void replace() {
		close();
		this.onReplaced.run();
	}

	@Override
	public void close() {
		CompletableFuture<Connection> current;
		synchronized (this) {
			current = this.connection;
			this.connection = null;
		}
		if (current != null && isReady(current)) {
			try {
				current.join().source.close();
			}
			catch (RuntimeException ex) {
				logger.debug("Giving the connection back failed", ex);
			}
		}
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

	/**
	 * A command to be sent.
	 */
	private interface Command<T> extends Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> {

	}

	/**
	 * Decides what becomes of a failed command.
	 */
	private interface FailureHandler {

		void handle(Throwable failure);

	}

	/**
	 * A connection of Spring Data with what is inside.
	 */
	private record Connection(RedisConnection source, RedisClusterAsyncCommands<byte[], byte[]> commands) {
	}

}
