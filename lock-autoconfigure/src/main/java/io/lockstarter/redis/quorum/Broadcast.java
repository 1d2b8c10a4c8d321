package io.lockstarter.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.redis.client.RedisErrors;
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
	static <T> Broadcast send(String name, List<QuorumServer> members, long timeoutMillis,
			ScheduledExecutorService timer, Function<QuorumNode, CompletableFuture<T>> command, Listener<T> listener) {
		Broadcast poll = new Broadcast();
		List<CompletableFuture<T>> sent = new ArrayList<>(members.size());
		long start = System.nanoTime();
		for (QuorumServer member : members) {
			sent.add(guarded(() -> command.apply(member.node())));
		}
		poll.answers.addAll(sent);
		ScheduledFuture<?> timeout = schedule(poll::giveUp, timeoutMillis, timer);
		AtomicInteger open = new AtomicInteger(sent.size());
		for (int i = 0; i < sent.size(); i++) {
			int server = i;
			sent.get(i).whenComplete((answer, thrown) -> {
				LockBackendException failure = (thrown != null) ? translate(name, thrown, timeoutMillis) : null;
				members.get(server).heard(start, failure);
				if (open.decrementAndGet() == 0 && timeout != null) {
					timeout.cancel(false);
				}
				listener.answered(server, answer, failure);
			});
		}
		return poll;
	}

	/**
	 * Tell what became of a command to one server, which may have been given up.
	 * @param waitedMillis for how long it had been waited for then
	 */
	static LockBackendException translate(String name, Throwable thrown, long waitedMillis) {
		return (thrown instanceof CancellationException)
				? new LockBackendException(name, Reason.TIMEOUT, "no answer in %d ms".formatted(waitedMillis), thrown)
				: RedisErrors.translate(name, thrown);
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

	/** Send a command to one server, and give it up after some time. */
	static <T> CompletableFuture<T> within(long timeoutMillis, ScheduledExecutorService timer,
			Supplier<CompletableFuture<T>> command) {
		CompletableFuture<T> sent = guarded(command);
		ScheduledFuture<?> timeout = schedule(() -> sent.cancel(false), timeoutMillis, timer);
		sent.whenComplete((answer, failure) -> {
			if (timeout != null) {
				timeout.cancel(false);
			}
		});
		return sent;
	}

	private static @Nullable ScheduledFuture<?> schedule(Runnable task, long millis, ScheduledExecutorService timer) {
		try {
			return timer.schedule(task, millis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The backend has been closed, and the connections with it.
			return null;
		}
	}

	private static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
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
