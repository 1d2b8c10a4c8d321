package io.lockstarter.redis.quorum;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Commands to one server with a timeout.
 */
final class TimedCall {

	private TimedCall() {
	}

	/** Sends a command, and cancels it after a timeout. */
	static <T> CompletableFuture<T> send(long timeoutMillis, Timer timer, Supplier<CompletableFuture<T>> command) {
		CompletableFuture<T> sent = begin(command);
		Timer.Task timeout = schedule(() -> sent.cancel(false), timeoutMillis, timer);
		sent.whenComplete((reply, failure) -> {
			if (timeout != null) {
				timeout.cancel();
			}
		});
		return sent;
	}

	/** Sends a command. The future fails if sending throws. */
	static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Schedules a timeout, or gives up at once if no thread can be created. */
	static Timer.@Nullable Task schedule(Runnable giveUp, long millis, Timer timer) {
		try {
			return timer.in(TimeUnit.MILLISECONDS.toNanos(millis), giveUp);
		}
		catch (OutOfMemoryError ex) {
			// Without the timer, the command might be waited for forever.
			giveUp.run();
			return null;
		}
	}

	/**
	 * Translates the failure or the timeout of a command.
	 * @param node the server, which may know why it does not reply
	 * @param waitedMillis the elapsed time in milliseconds
	 */
	static LockBackendException translate(String name, QuorumNode node, Throwable thrown, long waitedMillis) {
		if (!(thrown instanceof CancellationException)) {
			return RedisErrors.translate(name, thrown);
		}
		LockBackendException known = node.explainTimeout(name);
		return (known != null && known.reason() != Reason.TIMEOUT) ? known
				: new LockBackendException(name, Reason.TIMEOUT, "no reply in " + waitedMillis + " ms", thrown);
	}

}
