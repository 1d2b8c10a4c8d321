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
 * A command to one server, which is given up after some time.
 */
final class TimedCall {

	private TimedCall() {
	}

	/** Send a command, and give it up after some time. */
	static <T> CompletableFuture<T> send(long timeoutMillis, Timer timer, Supplier<CompletableFuture<T>> command) {
		CompletableFuture<T> sent = begin(command);
		Timer.Task timeout = schedule(() -> sent.cancel(false), timeoutMillis, timer);
		sent.whenComplete((answer, failure) -> {
			if (timeout != null) {
				timeout.cancel();
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

	/** Gives up after some time. */
	static Timer.@Nullable Task schedule(Runnable giveUp, long millis, Timer timer) {
		try {
			return timer.in(TimeUnit.MILLISECONDS.toNanos(millis), giveUp);
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
