package io.lockstarter.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * One command that is sent to all servers at once. Each server replies, fails, or times
 * out.
 */
final class QuorumCall {

	private final List<CompletableFuture<?>> replies = new ArrayList<>();

	private QuorumCall() {
	}

	/**
	 * Sends a command to all servers.
	 * @param name the name of the lock
	 * @param timeoutMillis the timeout of each server in milliseconds
	 * @param listener is notified once of each server's reply, by different threads
	 */
	static <T> QuorumCall send(String name, List<QuorumServer> servers, long timeoutMillis, Timer timer,
			Function<QuorumNode, CompletableFuture<T>> command, Listener<T> listener) {
		QuorumCall call = new QuorumCall();
		List<CompletableFuture<T>> sent = new ArrayList<>(servers.size());
		long start = System.nanoTime();
		for (QuorumServer server : servers) {
			sent.add(TimedCall.begin(() -> command.apply(server.node())));
		}
		call.replies.addAll(sent);
		Timer.Task timeout = TimedCall.schedule(call::giveUp, timeoutMillis, timer);
		AtomicInteger open = new AtomicInteger(sent.size());
		for (int i = 0; i < sent.size(); i++) {
			int server = i;
			sent.get(i).whenComplete((reply, thrown) -> {
				LockBackendException failure = (thrown != null)
						? TimedCall.translate(name, servers.get(server).node(), thrown, timeoutMillis) : null;
				try {
					servers.get(server).replied(start, failure);
				}
				finally {
					if (open.decrementAndGet() == 0 && timeout != null) {
						timeout.cancel();
					}
					listener.replied(server, reply, failure);
				}
			});
		}
		return call;
	}

	/** Stops waiting for the servers that have not replied. */
	void giveUp() {
		this.replies.forEach((reply) -> reply.cancel(false));
	}

	/**
	 * Cancels the requests to the servers when the future of the overall result is
	 * cancelled.
	 * @return the result
	 */
	<A> CompletableFuture<A> cancelWith(CompletableFuture<A> result) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				giveUp();
			}
		});
		return result;
	}

	/**
	 * Listener for the reply of each server.
	 */
	interface Listener<T> {

		/**
		 * Handles the reply or the failure of a server.
		 * @param server the index of the server
		 */
		void replied(int server, @Nullable T reply, @Nullable LockBackendException failure);

	}

}
