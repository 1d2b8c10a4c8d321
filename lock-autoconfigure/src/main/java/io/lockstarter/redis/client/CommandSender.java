package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Sender of commands to one Redis, which retries a command while its caller waits for the
 * reply: with the script's text if Redis does not know its digest, and after a short
 * pause if the connection broke or a cluster moves the slot or its master. All commands
 * are idempotent, so it does not matter how often one arrives. Futures fail with the
 * exceptions of a lock, unless stated otherwise.
 * <p>
 * Safe for use by multiple threads.
 */
public final class CommandSender implements AutoCloseable {

	private final RedisClient client;

	/** Creates a sender that uses a client library. */
	public CommandSender(RedisClient client) {
		this.client = client;
	}

	/** Returns a future that completes once commands can be sent. */
	public CompletableFuture<?> connect() {
		CompletableFuture<?> connected = this.client.connect();
		return (connected.isDone() && !connected.isCompletedExceptionally()) ? connected : translated(connected);
	}

	private <T> CompletableFuture<T> translated(CompletableFuture<T> future) {
		return future.handle((value, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(LockBackendException.NO_LOCK, this.client.explain(failure));
			}
			return value;
		});
	}

	public boolean isCluster() {
		return this.client.isCluster();
	}

	/** Opens a separate connection, for a subscription or a query. */
	public RedisConnection openSeparate() {
		return this.client.openSeparate();
	}

	/** Returns the means to end subscriptions. */
	public Unsubscriber unsubscriber() {
		return this.client;
	}

	/** Returns whether an unresponsive subscription can be dropped. */
	public boolean dropsUnresponsive() {
		return this.client.dropsUnresponsive();
	}

	/** Returns one slot of each node of a cluster, or only slot 0 without a cluster. */
	public CompletableFuture<List<Integer>> slots() {
		return translated(this.client.slots());
	}

	/**
	 * Runs a script, by its digest if Redis knows it. Cancelling the future withdraws a
	 * call that was not sent.
	 * @param name the name of the lock, for failures
	 */
	public <T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return run(name, call, (byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, byDigest),
				(values) -> parser.apply(new Reply(values)));
	}

	/**
	 * Runs a script by a given attempt, with the same retries as every other script.
	 * @param name the name of the lock, for failures
	 */
	public <R, T> CompletableFuture<T> run(String name, ScriptCall call, Attempt<R> attempt, Function<R, T> parser) {
		return new RetryingCommand<>(this.client, attempt, parser,
				(failure) -> RedisErrors.translate(name, call.keys(), located(call, failure)))
			.send();
	}

	/**
	 * Runs a script by its text, which costs less than its digest if the script is short
	 * and rare. The future fails with a {@link RedisFailure}.
	 */
	public CompletableFuture<Reply> runText(ScriptCall call) {
		return new RetryingCommand<>(this.client,
				(byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, false), Reply::new,
				(failure) -> located(call, failure))
			.send();
	}

	/** Returns a failure with the commands of a script that it may concern. */
	private static Throwable located(ScriptCall call, Throwable failure) {
		return (failure instanceof RedisFailure known) ? known.about(call.commandsAt(known.text())) : failure;
	}

	/**
	 * Publishes a message. The message may arrive twice; receivers recognize repetitions.
	 */
	public CompletableFuture<?> publish(String channel, String message) {
		return new RetryingCommand<>(this.client,
				(byDigest, repeated) -> this.client.publish(channel, message).thenApply((receivers) -> true),
				Function.identity(), (failure) -> RedisErrors.translate(LockBackendException.NO_LOCK, failure))
			.send();
	}

	/** Translates the failure of a command. */
	public RedisFailure explain(Throwable failure) {
		return this.client.explain(failure);
	}

	/**
	 * Returns a readable description of the Redis address, or an empty string if unknown.
	 */
	public String address() {
		return this.client.address();
	}

	/**
	 * Returns the topology of the Redis servers: {@code cluster}, {@code sentinel} or
	 * {@code standalone}; empty if unknown.
	 */
	public String topology() {
		return this.client.topology();
	}

	/** Returns the exception for a command for a lock that got no reply in time. */
	public LockBackendException explainTimeout(String name) {
		return RedisErrors.translate(name, this.client.explainTimeout());
	}

	/** Closes all connections. The next command opens others. */
	public void disconnect() {
		this.client.disconnect();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
