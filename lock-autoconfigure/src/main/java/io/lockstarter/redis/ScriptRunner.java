package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Runner of scripts for locks, which parses replies and translates failures.
 */
final class ScriptRunner {

	private final CommandSender redis;

	ScriptRunner(CommandSender redis) {
		this.redis = redis;
	}

	/** Returns a future that completes once commands can be sent. */
	CompletableFuture<?> connect() {
		CompletableFuture<?> connected = this.redis.connect();
		if (connected.isDone() && !connected.isCompletedExceptionally()) {
			return connected;
		}
		return connected.handle((connection, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(LockBackendException.NO_LOCK, failure);
			}
			return connection;
		});
	}

	/**
	 * Runs a script. Cancelling the future withdraws a call that was not sent.
	 * @param name the name of the lock
	 */
	<T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return parse(name, call, this.redis.run(call), (values) -> parser.apply(new Reply(values)));
	}

	/** Parses the reply to a call. */
	static <R, T> CompletableFuture<T> parse(String name, ScriptCall call, CompletableFuture<R> sent,
			Function<R, T> parser) {
		CompletableFuture<T> result = new CompletableFuture<>();
		sent.whenComplete((reply, failure) -> {
			try {
				if (failure != null) {
					throw RedisErrors.translate(name, call.keys(), failure);
				}
				result.complete(parser.apply(reply));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		cancelWith(result, sent);
		return result;
	}

	/** Cancels a command when the future of its result is cancelled. */
	static void cancelWith(CompletableFuture<?> result, CompletableFuture<?> sent) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				sent.cancel(false);
			}
		});
	}

}
