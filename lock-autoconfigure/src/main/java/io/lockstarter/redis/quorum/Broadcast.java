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
 * One command sent to all servers at once, each of which answers, fails, or is given up
 * when its time is over.
 */
final class Broadcast {

	private final List<CompletableFuture<?>> answers = new ArrayList<>();

	private Broadcast() {
	}

	/**
	 * Send a command to all servers.
	 * @param name the lock's name
	 * @param timeoutMillis how long to wait for each server
	 * @param listener is told each server's answer, once, from different threads
	 */
	static <T> Broadcast send(String name, List<QuorumServer> servers, long timeoutMillis, Timer timer,
			Function<QuorumNode, CompletableFuture<T>> command, Listener<T> listener) {
		Broadcast broadcast = new Broadcast();
		List<CompletableFuture<T>> sent = new ArrayList<>(servers.size());
		long start = System.nanoTime();
		for (QuorumServer server : servers) {
			sent.add(TimedCall.begin(() -> command.apply(server.node())));
		}
		broadcast.answers.addAll(sent);
		Timer.Task timeout = TimedCall.schedule(broadcast::giveUp, timeoutMillis, timer);
		AtomicInteger open = new AtomicInteger(sent.size());
		for (int i = 0; i < sent.size(); i++) {
			int server = i;
			sent.get(i).whenComplete((answer, thrown) -> {
				LockBackendException failure = (thrown != null)
						? TimedCall.translate(name, servers.get(server).node(), thrown, timeoutMillis) : null;
				try {
					servers.get(server).heard(start, failure);
				}
				finally {
					if (open.decrementAndGet() == 0 && timeout != null) {
						timeout.cancel();
					}
					listener.answered(server, answer, failure);
				}
			});
		}
		return broadcast;
	}

	/** Wait no longer for those that have not answered. */
	void giveUp() {
		this.answers.forEach((answer) -> answer.cancel(false));
	}

	/**
	 * Let an answer that is drawn from the servers' answers be cancelled.
	 * @return the answer
	 */
	<A> CompletableFuture<A> followedBy(CompletableFuture<A> answer) {
		answer.whenComplete((value, failure) -> {
			if (answer.isCancelled()) {
				giveUp();
			}
		});
		return answer;
	}

	/**
	 * Is told each server's answer.
	 */
	interface Listener<T> {

		/**
		 * A server has answered or failed.
		 * @param server the place of the server in the list
		 */
		void answered(int server, @Nullable T answer, @Nullable LockBackendException failure);

	}

}
