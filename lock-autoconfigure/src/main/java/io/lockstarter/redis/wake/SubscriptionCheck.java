package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Check of whether messages reach this client, by an echo message that it sends to
 * itself. Three failures are not visible otherwise:
 * <ul>
 * <li>A connection was discarded on the network without a notice. Redis still counts a
 * subscriber, and grants locks by messages that never arrive.</li>
 * <li>Redis refuses to publish, which it reports only to the sender.</li>
 * <li>The subscription has stayed with a demoted master, which forwards messages. No lock
 * is granted by a message, because the current master has no subscriber of its own.</li>
 * </ul>
 * <p>
 * Safe for use by multiple threads.
 */
public final class SubscriptionCheck {

	/** Maximum wait for an echo: 1 s. */
	private static final Duration ECHO_TIMEOUT = Duration.ofSeconds(1);

	/** Time after a message or a check for which no further check is needed: 500 ms. */
	private static final long CERTAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/**
	 * Maximum number of consecutive echoes without a subscriber that reopen the
	 * subscription.
	 */
	private static final int MAX_UNREACHED = 3;

	/**
	 * Pause after {@link #MAX_UNREACHED} such echoes: 10 s. Some proxies do not count
	 * subscribers.
	 */
	private static final long UNREACHED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<CompletableFuture<Sent>> echo;

	private final Runnable onReceiving;

	private final Runnable onTimeout;

	private final Runnable onUnreached;

	private volatile long checkedAt = System.nanoTime();

	private volatile boolean receiving;

	private volatile int subscriptions;

	private int unreached;

	private long unreachedAt;

	private volatile @Nullable CompletableFuture<Result> awaited;

	/**
	 * Creates a check.
	 * @param echo sends a message to this client's channel, and completes once Redis has
	 * published or refused it
	 * @param onReceiving is run when messages begin to arrive
	 * @param onTimeout is run when an echo did not arrive in time
	 * @param onUnreached is run when an echo had no subscriber
	 */
	public SubscriptionCheck(Supplier<CompletableFuture<Sent>> echo, Runnable onReceiving, Runnable onTimeout,
			Runnable onUnreached) {
		this.echo = echo;
		this.onReceiving = onReceiving;
		this.onTimeout = onTimeout;
		this.onUnreached = onUnreached;
	}

	/** Checks a subscription that was just confirmed. */
	public void begin() {
		this.receiving = false;
		synchronized (this) {
			this.subscriptions++;
		}
		CompletableFuture<Result> current = this.awaited;
		if (current != null && !current.isDone()) {
			// An echo that was sent before the subscription reached no subscriber.
			send(current);
		}
		else {
			check();
		}
	}

	/** Records that a message arrived. */
	public void received() {
		this.checkedAt = System.nanoTime();
		if (!this.receiving) {
			this.receiving = true;
			this.onReceiving.run();
		}
		CompletableFuture<Result> current = this.awaited;
		if (current != null) {
			current.complete(Result.RECEIVED);
		}
	}

	/** Returns whether messages arrive, as far as this client knows. */
	boolean isReceiving() {
		return this.receiving;
	}

	/** Checks the subscription, unless a message or a check came within 500 ms. */
	void checkIfQuiet() {
		if (System.nanoTime() - this.checkedAt >= CERTAIN_NANOS) {
			check();
		}
	}

	/** Returns whether an echo without a subscriber should reopen the subscription. */
	private synchronized boolean isUnreached(boolean reached) {
		long now = System.nanoTime();
		if (reached || now - this.unreachedAt >= UNREACHED_PAUSE_NANOS) {
			this.unreached = 0;
		}
		if (reached || this.unreached == MAX_UNREACHED) {
			return false;
		}
		this.unreached++;
		this.unreachedAt = now;
		return true;
	}

	/**
	 * Checks the subscription, or joins the current check. The future fails if Redis does
	 * not reply.
	 */
	public CompletableFuture<Result> check() {
		CompletableFuture<Result> result;
		synchronized (this) {
			CompletableFuture<Result> current = this.awaited;
			if (current != null && !current.isDone()) {
				return current.copy();
			}
			result = new CompletableFuture<>();
			this.awaited = result;
		}
		send(result);
		return result.whenComplete((outcome, failure) -> {
			if (outcome != Result.RECEIVED) {
				// Delays the next check, whatever this one found.
				this.checkedAt = System.nanoTime();
			}
			if (outcome == Result.REFUSED || outcome == Result.TIMED_OUT) {
				this.receiving = false;
			}
			if (outcome == Result.TIMED_OUT) {
				this.onTimeout.run();
			}
		});
	}

	private void send(CompletableFuture<Result> result) {
		int subscription = this.subscriptions;
		CompletableFuture<Sent> sending;
		try {
			sending = this.echo.get();
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
			return;
		}
		sending.whenComplete((sent, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (sent == Sent.REFUSED) {
				result.complete(Result.REFUSED);
			}
			else {
				sent(result, subscription == this.subscriptions && isUnreached(sent == Sent.REACHED));
			}
		});
	}

	private void sent(CompletableFuture<Result> result, boolean unreached) {
		try {
			if (unreached) {
				this.onUnreached.run();
			}
			result.completeOnTimeout(Result.TIMED_OUT, ECHO_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// An incomplete future would prevent all further checks.
			result.completeExceptionally(ex);
		}
	}

	/**
	 * Result of publishing an echo.
	 */
	public enum Sent {

		/** The server has a subscriber, or does not say. */
		REACHED,
		/** The server published the echo, but has no subscriber of its own. */
		UNREACHED,
		/** Redis refuses to publish. */
		REFUSED

	}

	/**
	 * Result of a check.
	 */
	public enum Result {

		/** A message arrived. */
		RECEIVED,

		/** The echo was sent, but did not arrive in time. */
		TIMED_OUT,

		/** Redis refuses to publish. */
		REFUSED

	}

}
