package io.lockstarter.redis.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.client.RedisClient.WaitCall;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Sender of scripts that are followed by WAIT, on separate connections: WAIT blocks its
 * connection on the server, which must not delay releases and renewals while a replica is
 * lost.
 * <p>
 * Calls to a node that arrive while a WAIT blocks are sent together after it, followed by
 * one common WAIT. So a lost replica delays each call by at most twice the timeout,
 * however many calls there are.
 * <p>
 * An acquire and its release use different connections, so a release may overtake the
 * acquire that it cancels. The tombstone of the release then makes the late acquire fail.
 * A repeated acquire writes the lease again, and WAIT counts the replicas that have
 * received all previous writes, including the first arrival of the same acquire.
 * <p>
 * Safe for use by multiple threads.
 */
public final class ReplicaWait {

	/** Maximum number of calls that share one WAIT. */
	private static final int MAX_CALLS_PER_WAIT = 100;

	private final RedisClient client;

	private final CommandSender sender;

	private final Replication replication;

	private final Map<Object, Node> nodes = new ConcurrentHashMap<>();

	/**
	 * Creates a sender.
	 * @param client sends each call once
	 * @param sender retries a call while its caller waits
	 */
	public ReplicaWait(RedisClient client, CommandSender sender, Replication replication) {
		this.client = client;
		this.sender = sender;
		this.replication = replication;
	}

	/**
	 * Runs a script, and parses its reply with the number of replicas that acknowledged
	 * it.
	 * @param name the name of the lock
	 */
	public <T> CompletableFuture<T> run(String name, ScriptCall call, Function<Reply, T> parser) {
		return this.sender.run(name, call, (byDigest, repeated) -> send(repeated ? call.repeated() : call, byDigest),
				parser);
	}

	private CompletableFuture<Reply> send(ScriptCall call, boolean byDigest) {
		CompletableFuture<Reply> result = new CompletableFuture<>();
		Pending pending = new Pending(new WaitCall(call, byDigest, result), result);
		this.client.connect().whenComplete((connected, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else {
				this.nodes.computeIfAbsent(this.client.nodeOf(call.key()), (id) -> new Node()).add(pending);
			}
		});
		return result;
	}

	/**
	 * Reply of a script whose writes were replicated.
	 *
	 * @param values the script's reply
	 * @param replicas the number of replicas that acknowledged the script's writes
	 */
	public record Reply(List<Object> values, long replicas) {
	}

	/**
	 * Call that waits in the queue.
	 *
	 * @param call the call
	 * @param result completes with the reply
	 */
	private record Pending(WaitCall call, CompletableFuture<Reply> result) {
	}

	/**
	 * Queue of the calls to one node.
	 */
	private final class Node {

		private final Queue<Pending> queue = new ArrayDeque<>();

		private boolean waiting;

		void add(Pending pending) {
			synchronized (this) {
				this.queue.add(pending);
				if (this.waiting) {
					return;
				}
				this.waiting = true;
			}
			sendNext();
		}

		private void sendNext() {
			List<Pending> calls = new ArrayList<>();
			synchronized (this) {
				for (Pending next = this.queue.poll(); next != null; next = this.queue.poll()) {
					if (!next.result.isDone() && calls.add(next) && calls.size() == MAX_CALLS_PER_WAIT) {
						break;
					}
				}
				this.waiting = !calls.isEmpty();
			}
			if (!calls.isEmpty()) {
				send(calls);
			}
		}

		private void send(List<Pending> calls) {
			Replication required = ReplicaWait.this.replication;
			CompletableFuture<RedisClient.Acknowledged> outcome;
			try {
				outcome = ReplicaWait.this.client.callAndWait(calls.stream().map(Pending::call).toList(),
						required.minReplicas(), required.timeout());
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				// The latter if no thread can be created. The next calls try again.
				outcome = CompletableFuture.failedFuture(ex);
			}
			cancelWhenAbandoned(calls, outcome);
			outcome.whenComplete((acknowledged, failure) -> {
				if (failure != null) {
					calls.forEach((call) -> call.result.completeExceptionally(failure));
				}
				else {
					complete(calls, acknowledged);
				}
				sendNext();
			});
		}

		private static void complete(List<Pending> calls, RedisClient.Acknowledged acknowledged) {
			for (int i = 0; i < calls.size(); i++) {
				CompletableFuture<Reply> result = calls.get(i).result;
				acknowledged.replies().get(i).whenComplete((values, failure) -> {
					if (failure != null) {
						result.completeExceptionally(failure);
					}
					else {
						result.complete(new Reply(values, acknowledged.replicas()));
					}
				});
			}
		}

		/** Cancels the WAIT once the callers of all calls have stopped waiting. */
		private static void cancelWhenAbandoned(List<Pending> calls, CompletableFuture<?> outcome) {
			AtomicInteger missing = new AtomicInteger(calls.size());
			calls.forEach((pending) -> pending.result.whenComplete((reply, failure) -> {
				if (missing.decrementAndGet() == 0) {
					outcome.cancel(false);
				}
			}));
		}

	}

}
