package io.lockstarter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Finds out whether messages reach this client, by one that it sends to itself. A
 * connection that was dropped on its way without a word does not show otherwise: Redis
 * goes on to count a subscriber, and to grant locks to one who never hears of it. Neither
 * does a subscription that has stayed with a former master, which passes messages on: no
 * lock is granted by a message that reaches no subscriber of the master itself.
 * <p>
 * Safe for use by many threads.
 */
final class WakeEcho {

	/** For how long an echo is waited for. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/** After a message there is no doubt for this time. */
	private static final long CERTAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** How often in a row it is believed at once that nobody has subscribed. */
	private static final int BELIEFS = 3;

	/** How soon it is believed again. Some proxies do not count subscribers. */
	private static final long DISBELIEF_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<CompletableFuture<Boolean>> call;

	private final Runnable onSilence;

	private final Runnable onUnreached;

	private volatile long heardAt = System.nanoTime();

	private int unreached;

	private long unreachedAt;

	private volatile @Nullable CompletableFuture<Boolean> awaited;

	/**
	 * Hear nothing yet.
	 * @param call sends a message to this client's channel, and tells whether the server
	 * has any subscriber to that
	 * @param onSilence is told when one that was sent has not come
	 * @param onUnreached is told when there was no subscriber
	 */
	WakeEcho(Supplier<CompletableFuture<Boolean>> call, Runnable onSilence, Runnable onUnreached) {
		this.call = call;
		this.onSilence = onSilence;
		this.onUnreached = onUnreached;
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

	/** Whether nobody has subscribed, for all that is known. */
	private synchronized boolean isToBeBelieved(boolean reached) {
		long now = System.nanoTime();
		if (reached || now - this.unreachedAt >= DISBELIEF_NANOS) {
			this.unreached = 0;
		}
		if (reached || this.unreached == BELIEFS) {
			return false;
		}
		this.unreached++;
		this.unreachedAt = now;
		return true;
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
		this.call.get().whenComplete((reached, failure) -> {
			if (failure != null) {
				echo.completeExceptionally(failure);
			}
			else {
				if (isToBeBelieved(reached)) {
					this.onUnreached.run();
				}
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
