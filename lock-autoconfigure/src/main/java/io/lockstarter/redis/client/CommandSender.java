package io.lockstarter.redis.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Sends commands, and sends them again for as long as somebody waits for the reply:
 * without the digest if Redis does not know the script, and a moment later when the
 * connection broke or while a cluster moves the slot or its master. All commands are
 * idempotent, so it does not matter how often one arrives.
 */
public final class CommandSender implements AutoCloseable {

	private final RedisClient client;

	/** Send commands with a client library. */
	public CommandSender(RedisClient client) {
		this.client = client;
	}

	/** Completes when commands can be sent, at once if they can be already. */
	public CompletableFuture<?> connect() {
		return this.client.connect().handle((connection, failure) -> {
			if (failure != null) {
				throw this.client.explain(failure);
			}
			return connection;
		});
	}

	public boolean isCluster() {
		return this.client.isCluster();
	}

	/** Opens a connection to subscribe with. */
	public RedisConnection openForMessages() {
		return this.client.openForMessages();
	}

	/** What ends subscriptions. */
	public Unsubscriber unsubscriber() {
		return this.client;
	}

	public boolean leavesSilence() {
		return this.client.leavesSilence();
	}

	/** A slot of each node of a cluster; slot 0 alone where there is no cluster. */
	public CompletableFuture<List<Integer>> slots() {
		return this.client.slots();
	}

	public CompletableFuture<List<Object>> run(ScriptCall call) {
		return send((byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, byDigest), call);
	}

	/**
	 * Run a script that is short and rare, and not sent twice to be known by its digest.
	 */
	public CompletableFuture<List<Object>> runText(ScriptCall call) {
		return send((byDigest, repeated) -> this.client.call(repeated ? call.repeated() : call, false), call);
	}

	/** Publish a message. Those who hear it twice can tell. */
	public CompletableFuture<?> publish(String channel, String message) {
		return run((byDigest, repeated) -> this.client.publish(channel, message).thenApply((receivers) -> true));
	}

	private CompletableFuture<List<Object>> send(Attempt<List<Object>> attempt, ScriptCall call) {
		return new Sending<>(this.client, attempt, (failure) -> failure.about(call.commandsAt(failure.text()))).send();
	}

	/** Send a command in another way than the client does by itself. */
	public <T> CompletableFuture<T> run(Attempt<T> attempt) {
		return new Sending<>(this.client, attempt, UnaryOperator.identity()).send();
	}

	/** Tell what became of a command that failed. */
	public RedisFailure explain(Throwable failure) {
		return this.client.explain(failure);
	}

	/** Where Redis is, for people to read; empty if that is not known. */
	public String address() {
		return this.client.address();
	}

	/** How the servers of Redis are connected, as far as the client knows. */
	public String topology() {
		return this.client.topology();
	}

	/** Tell why a command for a lock was not answered in time. */
	public LockBackendException unanswered(String name) {
		return RedisErrors.translate(name, this.client.explainSilence());
	}

	/** Whether all connections have been closed, subscriptions as well. */
	public boolean isStopped() {
		return this.client.isStopped();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
