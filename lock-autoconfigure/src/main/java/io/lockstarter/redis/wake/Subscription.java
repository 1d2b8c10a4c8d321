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
 * One subscription, from its connection to its end. It is opened by a thread of its own:
 * with Jedis, that stays and listens; with Lettuce, it ends when the subscription is
 * there. Until then the connection is that thread's: a pool that got it back from another
 * one would give it out while it is still read.
 */
final class Subscription implements Runnable, MessageListener, SubscriptionListener {

	private static final LockLog logger = LockLog.of(Subscription.class);

	private static final long PAUSE_MILLIS = 2000;

	private final Supplier<RedisConnection> connections;

	private final Supplier<List<String>> channels;

	private final Unsubscriber unsubscriber;

	private final Owner owner;

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private @Nullable RedisConnection connection;

	/** Whether it can be closed. */
	private boolean opened;

	/** Whether the thread that opens it is waiting for it, or listens. */
	private boolean subscribing;

	/** Completes when what ends it has been sent; {@code null} before that is begun. */
	private @Nullable CompletableFuture<@Nullable Void> unsubscribing;

	/** Whether the server has ended it unasked. */
	private boolean over;

	private boolean closed;

	private volatile boolean left;

	/**
	 * Open nothing yet.
	 * @param channels the names of the channels
	 * @param unsubscriber ends it
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
			RedisConnection taken = this.connections.get();
			if (keep(taken)) {
				taken.subscribe(this, ScriptCall.bytes(this.channels.get()));
				requireGoingOn();
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

	private synchronized boolean keep(RedisConnection taken) {
		this.connection = taken;
		this.subscribing = !this.closed;
		return this.subscribing;
	}

	private synchronized void requireGoingOn() {
		if (this.over && !this.closed) {
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

	/** From now on it can be closed, and is if that was asked for meanwhile. */
	private void opened() {
		boolean over;
		synchronized (this) {
			this.opened = true;
			over = this.closed;
		}
		if (over) {
			close();
		}
	}

	/** Whether the client library has let go of it by itself. */
	synchronized boolean hasEnded() {
		return this.opened
				&& (this.connection == null || this.connection.isClosed() || !this.connection.isSubscribed());
	}

	/** The own channel is the first one that is confirmed. */
	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		if (count > 1) {
			return;
		}
		boolean wanted = this.owner.begun(this);
		opened();
		if (wanted) {
			this.owner.subscribed();
		}
		else {
			close();
		}
	}

	/**
	 * Jedis gives the connection back when this returns. The thread that has sent the end
	 * may not have emptied its buffer yet, and the next one would send it once more.
	 */
	@Override
	public void onChannelUnsubscribed(byte @Nullable [] channel, long count) {
		CompletableFuture<@Nullable Void> sending;
		synchronized (this) {
			sending = this.unsubscribing;
			this.over = true;
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
	 * End it. A connection that is closed while it begins to subscribe would subscribe
	 * all the same, and nobody could close it any more.
	 * <p>
	 * Closing waits for the client library's thread, which may be the one that calls:
	 * therefore a thread of its own does it.
	 * @return completes when it has ended, at once if there is nothing to end yet
	 */
	CompletableFuture<@Nullable Void> close() {
		Runnable task;
		synchronized (this) {
			this.closed = true;
			RedisConnection gone = this.opened ? this.connection : null;
			if (gone == null) {
				return this.opened ? this.ended : CompletableFuture.completedFuture(null);
			}
			if (!this.subscribing) {
				this.connection = null;
				task = () -> giveBack(gone);
			}
			else if (this.unsubscribing == null) {
				CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
				this.unsubscribing = sent;
				task = () -> unsubscribe(gone, sent);
			}
			else {
				return this.ended;
			}
		}
		onAThreadOfItsOwn(task);
		return this.ended;
	}

	/** End it likewise, and see to it that its connection is not used again. */
	void leave() {
		this.left = true;
		close();
	}

	private static void onAThreadOfItsOwn(Runnable task) {
		try {
			LockThreads.daemon("lock-unsubscribe", task).start();
		}
		catch (OutOfMemoryError ex) {
			logger.debug("The subscription is closed later, when there is a thread", ex);
			Later.run(PAUSE_MILLIS, () -> onAThreadOfItsOwn(task));
		}
	}

	/** Its thread returns then, and gives the connection back. */
	private void unsubscribe(RedisConnection gone, CompletableFuture<@Nullable Void> sent) {
		try {
			this.unsubscriber.unsubscribe(gone, this.left);
		}
		catch (RuntimeException ex) {
			logger.debug("The subscription was broken already", ex);
		}
		finally {
			sent.complete(null);
		}
	}

	private void giveBack(RedisConnection gone) {
		try {
			this.unsubscriber.release(gone, this.left);
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the subscription failed", ex);
		}
		finally {
			this.ended.complete(null);
		}
	}

	/**
	 * Whose subscription it is.
	 */
	interface Owner {

		/** It has begun; returns whether it is still wanted. */
		boolean begun(Subscription subscription);

		/** Messages come from now on. */
		void subscribed();

		/** A message has come. */
		void received(String message);

		/** It could not be opened, or has broken. */
		void failed(Subscription subscription, RuntimeException failure);

	}

}
