package io.lockstarter.redis.quorum;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.redis.client.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * A command to one server, which is given up after some time.
 */
final class TimedCall {

	private TimedCall() {
	}

	/** Send a command, and give it up after some time. */
	static <T> CompletableFuture<T> send(long timeoutMillis, ScheduledExecutorService timer,
			Supplier<CompletableFuture<T>> command) {
		CompletableFuture<T> sent = begin(command);
		ScheduledFuture<?> timeout = schedule(() -> sent.cancel(false), timeoutMillis, timer);
		sent.whenComplete((answer, failure) -> {
			if (timeout != null) {
				timeout.cancel(false);
			}
		});
		return sent;
	}

	/** Send a command, which fails if it cannot be sent. */
	static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Give up after some time; never, if the backend and its connections are closed. */
	static @Nullable ScheduledFuture<?> schedule(Runnable giveUp, long millis, ScheduledExecutorService timer) {
		try {
			return timer.schedule(giveUp, millis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
		catch (OutOfMemoryError ex) {
			// Otherwise it would be waited for without end.
			giveUp.run();
			return null;
		}
	}

	/**
	 * Tell what became of a command that has failed, or was given up.
	 * @param node the server, which may know why it does not reply
	 * @param waitedMillis for how long it had been waited for then
	 */
	static LockBackendException translate(String name, QuorumNode node, Throwable thrown, long waitedMillis) {
		if (!(thrown instanceof CancellationException)) {
			return RedisErrors.translate(name, thrown);
		}
		LockBackendException known = node.unanswered(name);
		return (known != null && known.reason() != Reason.TIMEOUT) ? known
				: new LockBackendException(name, Reason.TIMEOUT, "no answer in " + waitedMillis + " ms", thrown);
	}

}
