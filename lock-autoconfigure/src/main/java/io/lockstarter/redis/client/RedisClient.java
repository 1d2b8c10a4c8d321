package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * A client library, reduced to what locks need of it. Nothing blocks the caller, and a
 * command is sent once, unless it says otherwise. Cancelling a future withdraws a command
 * that was not yet sent.
 */
public interface RedisClient extends AutoCloseable, Unsubscriber {

	/** Completes when commands can be sent, at once if they can be already. */
	CompletableFuture<?> connect();

	/**
	 * Whether commands go to a cluster: a script call names one slot then, and a message
	 * is counted on one node.
	 */
	boolean isCluster();

	/**
	 * Run a script.
	 * @param byDigest whether to send its digest instead of its text
	 */
	CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest);

	/** Publish a message. */
	CompletableFuture<?> publish(String channel, String message);

	/** Opens a connection to subscribe with. */
	RedisConnection openForMessages();

	/** Whether a subscription can be closed over which nothing comes. */
	boolean leavesSilence();

	/** Whether the factory has stopped, and closed all connections and subscriptions. */
	boolean isStopped();

	/** Name the node that serves a key; calls to different nodes do not wait in turn. */
	Object nodeOf(String key);

	/**
	 * Run scripts of one node on a connection of their own, and then wait for replicas.
	 * The number that has acknowledged what the scripts wrote comes from the very server
	 * that ran them, or the future fails.
	 */
	CompletableFuture<Acknowledged> callAndWait(List<Once> calls, int replicas, Duration timeout);

	/** Tell what became of a command that failed. */
	RedisFailure explain(Throwable failure);

	/** Tell where Redis is, for people to read; empty if that is not known. */
	String address();

	/** Tell how the servers are connected, as it is configured; empty if not known. */
	String topology();

	/** Tell why a command is not answered. */
	RedisFailure explainSilence();

	/**
	 * Tell a slot of each node of a cluster; slot 0 alone where there is no cluster.
	 */
	CompletableFuture<List<Integer>> slots();

	/**
	 * A command was not answered, or not by the right node: see whether nodes changed.
	 */
	void checkConnection();

	/**
	 * A server has refused a command since it takes no writes: see in the background
	 * whether another one does, and leave the connections to the former.
	 * @return completes with whether the command is worth sending again
	 */
	CompletableFuture<Boolean> leaveFormerMaster();

	@Override
	void close();

	/**
	 * A command that the client library itself may send again when the connection broke.
	 */
	interface Repeatable {

		/** Whether it was sent before, and its reply may have been lost. */
		boolean wasRepeated();

	}

	/**
	 * A script call that is sent once.
	 *
	 * @param script the call
	 * @param byDigest whether its digest is sent instead of its text
	 * @param unwanted is done when nobody waits for its reply any more
	 */
	record Once(ScriptCall script, boolean byDigest, CompletableFuture<?> unwanted) {
	}

	/**
	 * The outcome of calls that were followed by WAIT.
	 *
	 * @param replies for each call the reply, or the failure; all are there
	 * @param replicas how many replicas have acknowledged them
	 */
	record Acknowledged(List<CompletableFuture<List<Object>>> replies, long replicas) {
	}

}
