package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Runs scripts for locks, whose failures it translates.
 */
final class ScriptRunner {

	private final CommandSender redis;

	ScriptRunner(CommandSender redis) {
		this.redis = redis;
	}

	/** Completes when commands can be sent, at once if they can be already. */
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
	 * Run a script. Cancelling the answer withdraws a call that was not yet sent.
	 * @param name the lock's name
	 */
	<T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return answer(name, call, this.redis.run(call), (values) -> parser.apply(new Reply(values)));
	}

	/** Make an answer of the reply to a call. */
	static <R, T> CompletableFuture<T> answer(String name, ScriptCall call, CompletableFuture<R> sent,
			Function<R, T> parser) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		sent.whenComplete((reply, failure) -> {
			try {
				if (failure != null) {
					throw RedisErrors.translate(name, call.keys(), failure);
				}
				answer.complete(parser.apply(reply));
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
		});
		withdrawWith(answer, sent);
		return answer;
	}

	/** Withdraw a command when its answer is cancelled. */
	static void withdrawWith(CompletableFuture<?> answer, CompletableFuture<?> sent) {
		answer.whenComplete((value, failure) -> {
			if (answer.isCancelled()) {
				sent.cancel(false);
			}
		});
	}

}
