package io.lockstarter.redis.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisClient;
import io.lockstarter.redis.client.RedisClient.WaitCall;
import io.lockstarter.redis.script.ScriptCall;

/**
 * Scripts that are each followed by WAIT, on connections that carry nothing else: WAIT
 * blocks its connection on the server, which must not delay releases and renewals while a
 * replica is lost.
 * <p>
 * All calls to a node that come while a WAIT blocks are sent together after it, with one
 * WAIT for them all. So a lost replica costs each call at most twice the timeout, however
 * many there are.
 * <p>
 * A call and its release travel on different connections, so a release may overtake the
 * acquire that it cancels: the mark it leaves makes the late acquire fail. An acquire
 * that is repeated writes the lease again, and WAIT counts the replicas that have all
 * that was written until then, the first arrival of the same acquire included.
 */
public final class ReplicaWait {

	private static final int CALLS_A_WAIT = 100;

	private final RedisClient client;

	private final CommandSender sender;

	private final Replication replication;

	private final Map<Object, Node> nodes = new ConcurrentHashMap<>();

	/**
	 * Wait for replicas.
	 * @param client sends each call once
	 * @param sender sends it again for as long as somebody waits
	 */
	public ReplicaWait(RedisClient client, CommandSender sender, Replication replication) {
		this.client = client;
		this.sender = sender;
		this.replication = replication;
	}

	/** Run a script and tell how many replicas have acknowledged it. */
	public CompletableFuture<Reply> run(ScriptCall call) {
		return this.sender.run((byDigest, repeated) -> send(repeated ? call.repeated() : call, byDigest));
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
	 * A reply with what became of the writes behind it.
	 *
	 * @param values the script's reply
	 * @param replicas how many replicas have acknowledged them
	 */
	public record Reply(List<Object> values, long replicas) {
	}

	/**
	 * A call that waits for its turn.
	 *
	 * @param call the call
	 * @param result completes with the outcome
	 */
	private record Pending(WaitCall call, CompletableFuture<Reply> result) {
	}

	/**
	 * The calls to one node.
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
					if (!next.result.isDone() && calls.add(next) && calls.size() == CALLS_A_WAIT) {
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
			Replication wanted = ReplicaWait.this.replication;
			CompletableFuture<RedisClient.Acknowledged> outcome;
			try {
				outcome = ReplicaWait.this.client.callAndWait(calls.stream().map(Pending::call).toList(),
						wanted.minReplicas(), wanted.timeout());
			}
			catch (RuntimeException ex) {
				outcome = CompletableFuture.failedFuture(ex);
			}
			giveUpWith(calls, outcome);
			outcome.whenComplete((acknowledged, failure) -> {
				if (failure != null) {
					calls.forEach((call) -> call.result.completeExceptionally(failure));
				}
				else {
					answer(calls, acknowledged);
				}
				sendNext();
			});
		}

		private static void answer(List<Pending> calls, RedisClient.Acknowledged acknowledged) {
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

		/** When nobody waits for the answers any more, others need not either. */
		private static void giveUpWith(List<Pending> calls, CompletableFuture<?> outcome) {
			AtomicInteger missing = new AtomicInteger(calls.size());
			calls.forEach((pending) -> pending.result.whenComplete((reply, failure) -> {
				if (missing.decrementAndGet() == 0) {
					outcome.cancel(false);
				}
			}));
		}

	}

}
