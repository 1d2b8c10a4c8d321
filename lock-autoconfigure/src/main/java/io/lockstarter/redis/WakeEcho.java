package io.lockstarter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Finds out whether messages reach this client, by one that it sends to itself. A
 * connection that was dropped on its way without a word does not show otherwise: Redis
 * goes on to count a subscriber, and to grant locks to one who never hears of it.
 * <p>
 * Safe for use by many threads.
 */
final class WakeEcho {

	/** For how long an echo is waited for. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/** After a message there is no doubt for this time. */
	private static final long CERTAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final Supplier<? extends CompletableFuture<?>> call;

	private final Runnable onSilence;

	private volatile long heardAt = System.nanoTime();

	private volatile @Nullable CompletableFuture<Boolean> awaited;

	/**
	 * Hear nothing yet.
	 * @param call sends a message to this client's channel
	 * @param onSilence is told when one that was sent has not come
	 */
	WakeEcho(Supplier<? extends CompletableFuture<?>> call, Runnable onSilence) {
		this.call = call;
		this.onSilence = onSilence;
	}

	/** A message has come, or the subscription has just been made. */
	void heard() {
		this.heardAt = System.nanoTime();
		CompletableFuture<Boolean> current = this.awaited;
		if (current != null) {
			current.complete(true);
		}
	}

	/** Make sure that messages would come, if none has for a while. */
	void suspect() {
		if (System.nanoTime() - this.heardAt >= CERTAIN_NANOS) {
			ask();
		}
	}

	/** Completes with whether a message comes; exceptionally if none could be sent. */
	CompletableFuture<Boolean> ask() {
		CompletableFuture<Boolean> echo;
		synchronized (this) {
			CompletableFuture<Boolean> current = this.awaited;
			if (current != null && !current.isDone()) {
				return current.copy();
			}
			echo = new CompletableFuture<>();
			this.awaited = echo;
		}
		this.call.get().whenComplete((sent, failure) -> {
			if (failure != null) {
				echo.completeExceptionally(failure);
			}
			else {
				echo.completeOnTimeout(false, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
			}
		});
		return echo.thenApply((heard) -> {
			if (!heard) {
				// Whatever comes of it, not at once again.
				this.heardAt = System.nanoTime();
				this.onSilence.run();
			}
			return heard;
		});
	}

}
