package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.script.ScriptCall;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * The part of a client library that locks need. No method blocks, except where
 * documented, and each command is sent once. Cancelling a future withdraws a command that
 * was not sent. Implementations are safe for use by multiple threads.
 */
public interface RedisClient extends AutoCloseable, Unsubscriber {

	/** Returns a future that completes once commands can be sent. */
	CompletableFuture<?> connect();

	/**
	 * Returns whether commands go to a cluster. In a cluster, all keys of a script call
	 * have to be in one slot, and PUBLISH counts only the receivers on one node.
	 */
	boolean isCluster();

	/**
	 * Runs a script.
	 * @param byDigest whether to send the digest of the script instead of its text
	 */
	CompletableFuture<List<Object>> call(ScriptCall call, boolean byDigest);

	/** Publishes a message. */
	CompletableFuture<?> publish(String channel, String message);

	/** Opens a separate connection, for a subscription or a query. May block. */
	RedisConnection openSeparate();

	/** Returns whether an unresponsive subscription can be dropped. */
	boolean dropsUnresponsive();

	/**
	 * Returns an identifier of the node that serves a key. Calls to different nodes do
	 * not wait for each other.
	 */
	Object nodeOf(String key);

	/**
	 * Runs scripts on one node over a separate connection, and then waits for replicas.
	 * The number of replicas that acknowledged the writes comes from the server that ran
	 * the scripts; otherwise the future fails.
	 */
	CompletableFuture<Acknowledged> callAndWait(List<WaitCall> calls, int replicas, Duration timeout);

	/** Translates the failure of a command. */
	RedisFailure explain(Throwable failure);

	/** Returns a readable description of the address, or an empty string if unknown. */
	String address();

	/** Returns the configured topology of the servers, or an empty string if unknown. */
	String topology();

	/** Explains why a command got no reply in time. */
	RedisFailure explainTimeout();

	/**
	 * Returns one slot of each node of a cluster, or only slot 0 without a cluster.
	 */
	CompletableFuture<List<Integer>> slots();

	/**
	 * Refreshes the view of a cluster in the background, after a command that got no
	 * reply or one from the wrong node.
	 */
	void refreshTopology();

	/**
	 * Searches in the background for a server that accepts writes, after one that refused
	 * them, and drops the connections to a demoted master.
	 * @return a future that completes with whether the command is worth sending again
	 */
	CompletableFuture<Boolean> dropDemotedMaster();

	/** Closes all connections. The next command opens others. */
	void disconnect();

	@Override
	void close();

	/**
	 * Command that the client library itself may send again after the connection broke.
	 */
	interface Repeatable {

		/**
		 * Returns whether the command was sent more than once, so that a reply may have
		 * been lost.
		 */
		boolean wasRepeated();

	}

	/**
	 * Script call that is sent once and followed by WAIT.
	 *
	 * @param script the call
	 * @param byDigest whether its digest is sent instead of its text
	 * @param abandoned is done once the caller has stopped waiting for the reply
	 */
	record WaitCall(ScriptCall script, boolean byDigest, CompletableFuture<?> abandoned) {
	}

	/**
	 * Result of calls that were followed by WAIT.
	 *
	 * @param replies the reply or failure of each call; all are done
	 * @param replicas the number of replicas that acknowledged the calls
	 */
	record Acknowledged(List<CompletableFuture<List<Object>>> replies, long replicas) {

		/**
		 * Returns the result of calls whose WAIT was refused. Those that have run fail,
		 * too, since no replica is known to have them.
		 * @param failure the failure of WAIT
		 * @throws RedisFailure if Redis has not refused WAIT, so that the calls
		 * themselves may have failed
		 */
		static Acknowledged withoutCount(List<CompletableFuture<List<Object>>> replies, RedisFailure failure) {
			if (failure.kind() != RedisFailure.Kind.REFUSED) {
				throw failure;
			}
			RedisFailure afterwards = failure.ofRepeated();
			return new Acknowledged(replies.stream()
				.map((reply) -> reply.<List<Object>>thenCompose((values) -> CompletableFuture.failedFuture(afterwards)))
				.toList(), 0);
		}

	}

}
