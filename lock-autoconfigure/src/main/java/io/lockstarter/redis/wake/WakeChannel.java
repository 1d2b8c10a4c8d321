package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.redis.client.Unsubscriber;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * The only subscription of this client, opened at the first wait and then kept open.
 * After a lost connection either Lettuce or this class subscribes again. Messages may
 * have been missed meanwhile, so every subscription counts as a wake-up for all waiting
 * requests.
 * <p>
 * Safe for use by multiple threads.
 */
final class WakeChannel implements Subscription.Owner, AutoCloseable {

	/** Pause before the first retry: 50 ms. Each further pause is twice as long. */
	private static final long FIRST_PAUSE_MILLIS = 50;

	/** Maximum pause between two retries: 2 s. */
	private static final long MAX_PAUSE_MILLIS = 2000;

	/** Maximum wait for the subscription to end: 1 s. */
	private static final long CLOSE_TIMEOUT_MILLIS = 1000;

	/** Time after which connecting and subscribing counts as failed: 10 s. */
	private static final long OPEN_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final ThreadFactory threads;

	private final Supplier<RedisConnection> connections;

	private final Supplier<List<String>> channels;

	private final Consumer<String> onMessage;

	private final Runnable onSubscribed;

	private final Consumer<RuntimeException> onFailed;

	private final Unsubscriber unsubscriber;

	private @Nullable Subscription current;

	private long openingSince;

	private boolean closed;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private volatile boolean requested;

	private volatile boolean subscribed;

	/**
	 * Creates a channel without subscribing.
	 * @param threads creates threads that subscribe
	 * @param channels the names of the channels, the client's own channel first
	 * @param onMessage receives each message
	 * @param onSubscribed is run after each subscription
	 * @param onFailed receives each failure to subscribe, which will be retried
	 * @param unsubscriber ends subscriptions
	 */
	WakeChannel(ThreadFactory threads, Supplier<RedisConnection> connections, Supplier<List<String>> channels,
			Consumer<String> onMessage, Runnable onSubscribed, Consumer<RuntimeException> onFailed,
			Unsubscriber unsubscriber) {
		this.threads = threads;
		this.connections = connections;
		this.channels = channels;
		this.onMessage = onMessage;
		this.onSubscribed = onSubscribed;
		this.onFailed = onFailed;
		this.unsubscriber = unsubscriber;
	}

	/**
	 * Opens the subscription unless it is open or opening. Called at every wait, so that
	 * a subscription that ended unnoticed is opened again.
	 */
	void ensureOpen() {
		Subscription opening = begin();
		if (opening == null) {
			return;
		}
		try {
			this.threads.newThread(opening).start();
		}
		catch (OutOfMemoryError ex) {
			failed(opening, new IllegalStateException("No thread could be created for the subscription", ex));
		}
	}

	private synchronized @Nullable Subscription begin() {
		if (this.closed || (this.current != null && !this.current.hasEnded())) {
			return null;
		}
		this.requested = true;
		Subscription opening = new Subscription(this.connections, this.channels, this.unsubscriber, this);
		this.current = opening;
		this.openingSince = System.nanoTime();
		return opening;
	}

	/**
	 * Opens the subscription unless it is open or opening.
	 * @return whether the client is subscribed; a broken connection may be noticed only
	 * after reconnecting
	 */
	boolean ensureSubscribed() {
		if (!this.subscribed) {
			ensureOpen();
		}
		return this.subscribed;
	}

	/** Returns whether the client is subscribed, as far as it knows. */
	boolean isSubscribed() {
		return this.subscribed;
	}

	/**
	 * Returns whether subscribing has taken more than 10 s. If the network discards the
	 * connection meanwhile, the client library itself fails only after its command
	 * timeout.
	 */
	synchronized boolean isTimedOut() {
		return this.current != null && !this.subscribed && System.nanoTime() - this.openingSince >= OPEN_TIMEOUT_NANOS;
	}

	/**
	 * Replaces an open subscription whose connection is lost or leads to another server
	 * than commands.
	 */
	void reopen() {
		Subscription replaced = forget();
		if (replaced != null) {
			replaced.drop();
			ensureOpen();
		}
	}

	/**
	 * Returns whether a request has ever waited, so that the client should be subscribed.
	 */
	boolean isRequested() {
		return this.requested;
	}

	private synchronized @Nullable Subscription forget() {
		Subscription forgotten = this.current;
		this.current = null;
		this.subscribed = false;
		return forgotten;
	}

	@Override
	public synchronized boolean confirmed(Subscription subscription) {
		if (this.current != subscription) {
			return false;
		}
		this.subscribed = true;
		this.pauseMillis = FIRST_PAUSE_MILLIS;
		return true;
	}

	@Override
	public void subscribed() {
		this.onSubscribed.run();
	}

	@Override
	public void received(String message) {
		this.onMessage.accept(message);
	}

	/**
	 * Schedules the next attempt. The failure is reported without holding the monitor,
	 * because the receiver may replace connections, while the timer needs the monitor.
	 */
	@Override
	public void failed(Subscription subscription, RuntimeException failure) {
		long pause = forget(subscription);
		if (pause > 0) {
			try {
				this.onFailed.accept(failure);
			}
			finally {
				DelayedTasks.run(pause, this::ensureOpen);
			}
		}
	}

	/**
	 * Returns the pause in milliseconds before the next attempt, or 0 if the failed
	 * subscription is not the current one.
	 */
	private synchronized long forget(Subscription failed) {
		if (this.current != failed) {
			return 0;
		}
		forget();
		long pause = this.pauseMillis;
		this.pauseMillis = Math.min(2 * pause, MAX_PAUSE_MILLIS);
		return pause;
	}

	/** Ends the subscription, until the next wait. */
	void disconnect() {
		Subscription ended = forget();
		if (ended != null) {
			ended.close().completeOnTimeout(null, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
		}
	}

	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		disconnect();
	}

}
