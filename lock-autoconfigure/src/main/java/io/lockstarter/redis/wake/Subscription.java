package io.lockstarter.redis.wake;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.LockThreads;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.client.Unsubscriber;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * One subscription, from its connection to its end. A separate thread opens it. With
 * Jedis the thread stays and reads messages; with Lettuce it ends once subscribed. Until
 * the thread returns, only the thread may release the connection: a pool would otherwise
 * lend the connection while the thread still reads from it.
 * <p>
 * Safe for use by multiple threads.
 */
final class Subscription implements Runnable, MessageListener, SubscriptionListener {

	private static final LockLog logger = LockLog.of(Subscription.class);

	/** Pause before another attempt to create a thread: 2 s. */
	private static final long PAUSE_MILLIS = 2000;

	private final Supplier<RedisConnection> connections;

	private final Supplier<List<String>> channels;

	private final Unsubscriber unsubscriber;

	private final Owner owner;

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private @Nullable RedisConnection connection;

	/** True if the subscription can be closed. */
	private boolean opened;

	/** True if the opening thread is still subscribing or reading messages. */
	private boolean subscribing;

	/** Completes once UNSUBSCRIBE was sent; {@code null} before that begins. */
	private @Nullable CompletableFuture<@Nullable Void> unsubscribing;

	/** True once the subscription has ended. */
	private boolean unsubscribed;

	private boolean closed;

	private volatile boolean dropped;

	/**
	 * Creates a subscription without opening it.
	 * @param channels the names of the channels
	 * @param unsubscriber ends the subscription
	 */
	Subscription(Supplier<RedisConnection> connections, Supplier<List<String>> channels, Unsubscriber unsubscriber,
			Owner owner) {
		this.connections = connections;
		this.channels = channels;
		this.unsubscriber = unsubscriber;
		this.owner = owner;
	}

	@Override
	public void run() {
		try {
			RedisConnection opening = this.connections.get();
			if (adopt(opening)) {
				opening.subscribe(this, ScriptCall.bytes(this.channels.get()));
				requireNotUnsubscribed();
			}
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
		catch (Throwable ex) {
			failed(new IllegalStateException("Subscribing failed: " + ex, ex));
		}
		finally {
			returned();
		}
	}

	private void failed(RuntimeException failure) {
		synchronized (this) {
			this.closed = true;
		}
		this.owner.failed(this, failure);
	}

	private synchronized boolean adopt(RedisConnection opening) {
		this.connection = opening;
		this.subscribing = !this.closed;
		return this.subscribing;
	}

	private synchronized void requireNotUnsubscribed() {
		if (this.unsubscribed && !this.closed) {
			throw new IllegalStateException("Redis has ended the subscription");
		}
	}

	private void returned() {
		synchronized (this) {
			this.subscribing = false;
			if (this.connection == null) {
				this.ended.complete(null);
			}
		}
		opened();
	}

	/**
	 * Marks the subscription as closable, and closes it if that was requested meanwhile.
	 */
	private void opened() {
		boolean closing;
		synchronized (this) {
			this.opened = true;
			closing = this.closed;
		}
		if (closing) {
			close();
		}
	}

	/** Returns whether the client library has ended the subscription. */
	synchronized boolean hasEnded() {
		return this.opened
				&& (this.connection == null || this.connection.isClosed() || !this.connection.isSubscribed());
	}

	/**
	 * Notifies the owner when the first channel is confirmed, which is the client's own.
	 */
	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		if (count > 1) {
			return;
		}
		boolean needed = this.owner.confirmed(this);
		opened();
		if (needed) {
			this.owner.subscribed();
		}
		else {
			close();
		}
	}

	/**
	 * Waits until UNSUBSCRIBE was written. Jedis releases the connection when this method
	 * returns. If the writing thread had not flushed its buffer, the next user of the
	 * connection would send UNSUBSCRIBE again.
	 */
	@Override
	public void onChannelUnsubscribed(byte @Nullable [] channel, long count) {
		CompletableFuture<@Nullable Void> sending;
		synchronized (this) {
			sending = this.unsubscribing;
			this.unsubscribed = true;
		}
		if (sending != null) {
			sending.join();
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.owner.received(new String(message.getBody(), StandardCharsets.UTF_8));
	}

	/**
	 * Ends the subscription. A connection that is closed while subscribing would
	 * subscribe nevertheless and could not be closed afterwards, so closing then waits
	 * until the subscription is confirmed.
	 * <p>
	 * Closing waits for the client library's thread, which may be the calling thread.
	 * Therefore it runs on a separate thread.
	 * @return a future that completes once the subscription has ended, at once if nothing
	 * has to be ended yet
	 */
	CompletableFuture<@Nullable Void> close() {
		Runnable task;
		synchronized (this) {
			this.closed = true;
			RedisConnection closing = this.opened ? this.connection : null;
			if (closing == null) {
				return this.opened ? this.ended : CompletableFuture.completedFuture(null);
			}
			if (!this.subscribing) {
				this.connection = null;
				task = () -> release(closing);
			}
			else if (this.unsubscribing == null) {
				CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
				this.unsubscribing = sent;
				task = () -> unsubscribe(closing, sent);
			}
			else {
				return this.ended;
			}
		}
		runOnNewThread(task);
		return this.ended;
	}

	/** Ends the subscription, and prevents its connection from being used again. */
	void drop() {
		this.dropped = true;
		close();
	}

	private static void runOnNewThread(Runnable task) {
		try {
			LockThreads.daemon("lock-unsubscribe", task).start();
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread could be created, so the subscription is closed later", ex);
			DelayedTasks.run(PAUSE_MILLIS, () -> runOnNewThread(task));
		}
	}

	/** Ends the subscription, so that its thread returns and releases the connection. */
	private void unsubscribe(RedisConnection closing, CompletableFuture<@Nullable Void> sent) {
		try {
			this.unsubscriber.unsubscribe(closing, this.dropped);
		}
		catch (RuntimeException ex) {
			logger.debug("The subscription was already broken", ex);
		}
		finally {
			sent.complete(null);
		}
	}

	private void release(RedisConnection closing) {
		try {
			this.unsubscriber.release(closing, this.dropped);
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the subscription failed", ex);
		}
		finally {
			this.ended.complete(null);
		}
	}

	/**
	 * Owner of a subscription.
	 */
	interface Owner {

		/**
		 * Records that Redis has confirmed the subscription. Returns whether the
		 * subscription is still needed.
		 */
		boolean confirmed(Subscription subscription);

		/** Reports that messages arrive from now on. */
		void subscribed();

		/** Reports a message. */
		void received(String message);

		/** Reports that the subscription could not be opened, or has broken. */
		void failed(Subscription subscription, RuntimeException failure);

	}

}
