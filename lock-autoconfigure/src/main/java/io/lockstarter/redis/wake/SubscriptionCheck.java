package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Finds out whether messages reach this client, by one that it sends to itself. A
 * connection that was dropped on its way without a word does not show otherwise: Redis
 * goes on to count a subscriber, and to grant locks to one who never hears of it. Nor
 * does a Redis that refuses to publish, of which only the sender is told. Nor does a
 * subscription that has stayed with a former master, which passes messages on: no lock is
 * granted by a message that reaches no subscriber of the master itself.
 * <p>
 * Safe for use by many threads.
 */
public final class SubscriptionCheck {

	/** For how long an echo is waited for. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/** After a message, or an answer, nobody need ask again for this time. */
	private static final long CERTAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** How often in a row it is believed at once that nobody has subscribed. */
	private static final int BELIEFS = 3;

	/** How soon it is believed again. Some proxies do not count subscribers. */
	private static final long DISBELIEF_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<CompletableFuture<Sent>> call;

	private final Runnable onHeard;

	private final Runnable onSilence;

	private final Runnable onUnreached;

	private volatile long settledAt = System.nanoTime();

	private volatile boolean comes;

	private volatile int subscriptions;

	private int unreached;

	private long unreachedAt;

	private volatile @Nullable CompletableFuture<Answer> awaited;

	/**
	 * Hear nothing yet.
	 * @param call sends a message to this client's channel; completes with what Redis did
	 * with it
	 * @param onHeard is told when messages have begun to come
	 * @param onSilence is told when one that was sent has not come
	 * @param onUnreached is told when there was no subscriber
	 */
	public SubscriptionCheck(Supplier<CompletableFuture<Sent>> call, Runnable onHeard, Runnable onSilence,
			Runnable onUnreached) {
		this.call = call;
		this.onHeard = onHeard;
		this.onSilence = onSilence;
		this.onUnreached = onUnreached;
	}

	/** A subscription has just been made, of which nothing is known yet. */
	public void begin() {
		this.comes = false;
		synchronized (this) {
			this.subscriptions++;
		}
		CompletableFuture<Answer> current = this.awaited;
		if (current != null && !current.isDone()) {
			// What was sent before there was a subscription went to nobody.
			send(current);
		}
		else {
			ask();
		}
	}

	/** A message has come. */
	public void heard() {
		this.settledAt = System.nanoTime();
		if (!this.comes) {
			this.comes = true;
			this.onHeard.run();
		}
		CompletableFuture<Answer> current = this.awaited;
		if (current != null) {
			current.complete(Answer.HEARD);
		}
	}

	/** Whether messages come, as far as is known. */
	boolean comes() {
		return this.comes;
	}

	/** Make sure that messages would come, if nothing was heard of that for a while. */
	void suspect() {
		if (System.nanoTime() - this.settledAt >= CERTAIN_NANOS) {
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

	/** Completes with what has come of it; exceptionally if there was no answer. */
	public CompletableFuture<Answer> ask() {
		CompletableFuture<Answer> echo;
		synchronized (this) {
			CompletableFuture<Answer> current = this.awaited;
			if (current != null && !current.isDone()) {
				return current.copy();
			}
			echo = new CompletableFuture<>();
			this.awaited = echo;
		}
		send(echo);
		return echo.whenComplete((answer, failure) -> {
			if (answer != Answer.HEARD) {
				// Whatever comes of it, not at once again.
				this.settledAt = System.nanoTime();
			}
			if (answer == Answer.REFUSED || answer == Answer.SILENCE) {
				this.comes = false;
			}
			if (answer == Answer.SILENCE) {
				this.onSilence.run();
			}
		});
	}

	private void send(CompletableFuture<Answer> echo) {
		int subscription = this.subscriptions;
		CompletableFuture<Sent> sending;
		try {
			sending = this.call.get();
		}
		catch (Throwable ex) {
			echo.completeExceptionally(ex);
			return;
		}
		sending.whenComplete((sent, failure) -> {
			if (failure != null) {
				echo.completeExceptionally(failure);
			}
			else if (sent == Sent.REFUSED) {
				echo.complete(Answer.REFUSED);
			}
			else {
				sent(echo, subscription == this.subscriptions && isToBeBelieved(sent == Sent.REACHED));
			}
		});
	}

	private void sent(CompletableFuture<Answer> echo, boolean unreached) {
		try {
			if (unreached) {
				this.onUnreached.run();
			}
			echo.completeOnTimeout(Answer.SILENCE, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// Otherwise nobody could ask again.
			echo.completeExceptionally(ex);
		}
	}

	/**
	 * What Redis did with a message to itself.
	 */
	public enum Sent {

		/** It was sent to a subscriber, or that cannot be told. */
		REACHED,
		/** It was published, and the server has no subscriber of its own. */
		UNREACHED,
		/** Redis refuses to publish it. */
		REFUSED

	}

	/**
	 * What has come of a message to itself.
	 */
	public enum Answer {

		/** It has come. */
		HEARD,
		/** It was sent, and has not come in time. */
		SILENCE,
		/** Redis refuses to send it. */
		REFUSED

	}

}
