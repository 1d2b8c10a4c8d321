package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Sender of commands to one Redis, which retries a command while its caller waits for the
 * reply: with the script's text if Redis does not know its digest, and after a short
 * pause if the connection broke or a cluster moves the slot or its master. All commands
 * are idempotent, so it does not matter how often one arrives.
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
		return explained(this.client.connect());
	}

	private <T> CompletableFuture<T> explained(CompletableFuture<T> future) {
		return future.handle((value, failure) -> {
			if (failure != null) {
				throw this.client.explain(failure);
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
		return explained(this.client.slots());
	}

	/** Runs a script, by its digest if Redis knows it. */
	public CompletableFuture<List<Object>> run(ScriptCall call) {
		return send((byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, byDigest), call);
	}

	/**
	 * Runs a script by its text, which costs less than its digest if the script is short
	 * and rare.
	 */
	public CompletableFuture<List<Object>> runText(ScriptCall call) {
		return send((byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, false), call);
	}

	/**
	 * Publishes a message. The message may arrive twice; receivers recognize repetitions.
	 */
	public CompletableFuture<?> publish(String channel, String message) {
		return run((byDigest, repeated) -> this.client.publish(channel, message).thenApply((receivers) -> true));
	}

	private CompletableFuture<List<Object>> send(Attempt<List<Object>> attempt, ScriptCall call) {
		return new RetryingCommand<>(this.client, attempt, (failure) -> failure.about(call.commandsAt(failure.text())))
			.send();
	}

	/**
	 * Sends a command by a given attempt, with the same retries as every other command.
	 */
	public <T> CompletableFuture<T> run(Attempt<T> attempt) {
		return new RetryingCommand<>(this.client, attempt, UnaryOperator.identity()).send();
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
