package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.redis.client.RedisClient.Acknowledged;
import io.lockstarter.redis.client.RedisClient.WaitCall;
import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Script calls over a connection of Jedis.
 */
final class JedisScripts {

	private JedisScripts() {
	}

	static List<Object> evaluate(RedisConnection redis, ScriptCall call, boolean byDigest) {
		return list(send(redis, call, byDigest));
	}

	private static @Nullable Object send(RedisConnection redis, ScriptCall call, boolean byDigest) {
		byte[][] keysAndArguments = ScriptCall.bytes(call.keysAndArguments());
		int keys = call.keys().size();
		return byDigest
				? redis.scriptingCommands().evalSha(call.script().sha(), ReturnType.VALUE, keys, keysAndArguments)
				: redis.scriptingCommands()
					.eval(ScriptCall.bytes(call.script().text()), ReturnType.VALUE, keys, keysAndArguments);
	}

	/**
	 * Returns the reply as a list, with a single value as its only element, as Lettuce
	 * does.
	 */
	@SuppressWarnings("unchecked")
	private static List<Object> list(@Nullable Object reply) {
		return (reply instanceof List<?> several) ? (List<Object>) several : List.of(Objects.requireNonNull(reply));
	}

	/**
	 * Calls scripts, followed by WAIT on the same connection: a pipeline borrows one
	 * connection of the pool.
	 * @param explain translates the failure of a command
	 */
	static Acknowledged evaluateAndWait(RedisConnection redis, List<WaitCall> calls, int replicas, Duration timeout,
			Function<Throwable, RedisFailure> explain) {
		redis.openPipeline();
		calls.forEach((call) -> send(redis, call.script(), call.byDigest()));
		redis.execute("WAIT", ScriptCall.bytes(Integer.toString(replicas)),
				ScriptCall.bytes(Long.toString(timeout.toMillis())));
		return acknowledged(closePipeline(redis), explain);
	}

	private static List<?> closePipeline(RedisConnection redis) {
		try {
			return redis.closePipeline();
		}
		catch (RedisPipelineException ex) {
			return ex.getPipelineResult();
		}
	}

	private static Acknowledged acknowledged(List<?> results, Function<Throwable, RedisFailure> explain) {
		List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
		for (Object result : results.subList(0, results.size() - 1)) {
			replies.add(reply(result));
		}
		Object last = results.get(results.size() - 1);
		if (last instanceof Long replicas) {
			return new Acknowledged(replies, replicas);
		}
		if (last instanceof RuntimeException failure) {
			return Acknowledged.withoutCount(replies, explain.apply(failure));
		}
		throw new RedisFailure(Kind.LOST, "The connection broke before replicas were counted", null);
	}

	private static CompletableFuture<List<Object>> reply(Object result) {
		return (result instanceof Throwable failure) ? CompletableFuture.failedFuture(failure)
				: CompletableFuture.completedFuture(list(result));
	}

}
