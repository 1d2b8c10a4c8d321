package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.LockThreads;
import io.lockstarter.redis.client.Unsubscriber;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * The one subscription of this client, opened at the first wait and kept. After a lost
 * connection it is opened again, by Lettuce, or here where the client library just fails;
 * because messages may have been missed until then, every (re-)subscription counts as a
 * wake-up for all.
 */
final class WakeChannel implements Subscription.Owner, AutoCloseable {

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LAST_PAUSE_MILLIS = 2000;

	private static final long LONGEST_CLOSE_MILLIS = 1000;

	/** How long it takes at most to connect and subscribe, unless something was lost. */
	private static final long LONGEST_OPENING_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<RedisConnection> connections;

	private final Supplier<List<String>> channels;

	private final Consumer<String> onMessage;

	private final Runnable onSubscribed;

	private final Consumer<RuntimeException> onFailed;

	private final Unsubscriber unsubscriber;

	private @Nullable Subscription current;

	private long begunAt;

	private boolean closed;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private volatile boolean wanted;

	private volatile boolean subscribed;

	/**
	 * Subscribe to nothing yet.
	 * @param channels the names of the channels, the own one first
	 * @param onMessage is told each message
	 * @param onSubscribed is told of each subscription, of which nothing is known yet
	 * @param onFailed is told why there is no subscription, which is tried again
	 * @param unsubscriber ends subscriptions
	 */
	WakeChannel(Supplier<RedisConnection> connections, Supplier<List<String>> channels, Consumer<String> onMessage,
			Runnable onSubscribed, Consumer<RuntimeException> onFailed, Unsubscriber unsubscriber) {
		this.connections = connections;
		this.channels = channels;
		this.onMessage = onMessage;
		this.onSubscribed = onSubscribed;
		this.onFailed = onFailed;
		this.unsubscriber = unsubscriber;
	}

	/**
	 * Open the subscription unless it is open or being opened. Called at every wait, so
	 * that a subscription that ended unnoticed is opened again.
	 */
	void ensureOpen() {
		Subscription begun = begin();
		if (begun == null) {
			return;
		}
		try {
			LockThreads.daemon("lock-subscribe", begun).start();
		}
		catch (OutOfMemoryError ex) {
			failed(begun, new IllegalStateException("No thread can be had for it", ex));
		}
	}

	private synchronized @Nullable Subscription begin() {
		if (this.closed || (this.current != null && !this.current.hasEnded())) {
			return null;
		}
		this.wanted = true;
		Subscription begun = new Subscription(this.connections, this.channels, this.unsubscriber, this);
		this.current = begun;
		this.begunAt = System.nanoTime();
		return begun;
	}

	/**
	 * Return whether messages arrive, as far as is known: a broken connection shows when
	 * it has been made again. Opens the subscription if not.
	 */
	boolean isListening() {
		if (!this.subscribed) {
			ensureOpen();
		}
		return this.subscribed;
	}

	/** Return whether the subscription is there, as far as is known. */
	boolean isSubscribed() {
		return this.subscribed;
	}

	/**
	 * Return whether the subscription should have been confirmed long ago. A connection
	 * that is dropped meanwhile without a word would be waited for until the client
	 * library's command timeout.
	 */
	synchronized boolean isOverdue() {
		return this.current != null && !this.subscribed && System.nanoTime() - this.begunAt >= LONGEST_OPENING_NANOS;
	}

	/**
	 * Open the subscription anew, if it was open: its connection is gone for good, or
	 * leads to another server than commands.
	 */
	void reopen() {
		Subscription gone = forget();
		if (gone != null) {
			gone.leave();
			ensureOpen();
		}
	}

	/**
	 * Return whether anybody has waited yet, so that a subscription ought to be there.
	 */
	boolean isWanted() {
		return this.wanted;
	}

	private synchronized @Nullable Subscription forget() {
		Subscription gone = this.current;
		this.current = null;
		this.subscribed = false;
		return gone;
	}

	@Override
	public synchronized boolean begun(Subscription subscription) {
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
	 * Opens the subscription again later. Who is told of the failure may replace
	 * connections, for which the monitor must not be held: the timer needs it.
	 */
	@Override
	public void failed(Subscription subscription, RuntimeException failure) {
		long pause = forget(subscription);
		if (pause > 0) {
			try {
				this.onFailed.accept(failure);
			}
			finally {
				Later.run(pause, this::ensureOpen);
			}
		}
	}

	/** Returns the pause before the next one, or 0 if this one is not the current one. */
	private synchronized long forget(Subscription failed) {
		if (this.current != failed) {
			return 0;
		}
		forget();
		long pause = this.pauseMillis;
		this.pauseMillis = Math.min(2 * pause, LAST_PAUSE_MILLIS);
		return pause;
	}

	/** End it without closing its connection, which the factory has closed. */
	void abandon() {
		end();
	}

	private synchronized @Nullable Subscription end() {
		this.closed = true;
		return forget();
	}

	@Override
	public void close() {
		Subscription gone = end();
		if (gone != null) {
			gone.close().completeOnTimeout(null, LONGEST_CLOSE_MILLIS, TimeUnit.MILLISECONDS).join();
		}
	}

}
