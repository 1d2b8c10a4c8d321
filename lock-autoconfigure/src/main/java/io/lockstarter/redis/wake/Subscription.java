package io.lockstarter.redis.wake;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.LockThreads;
import io.lockstarter.redis.script.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * One subscription, from its connection to its end. It is opened by a thread of its own:
 * with Jedis, that stays and listens; with Lettuce, it ends when the subscription is
 * there.
 */
final class Subscription implements Runnable, MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(Subscription.class);

	private static final long PAUSE_MILLIS = 2000;

	private final RedisConnectionFactory connectionFactory;

	private final Supplier<String> channel;

	private final Owner owner;

	private @Nullable RedisConnection connection;

	private boolean opened;

	private boolean closed;

	private volatile boolean left;

	/**
	 * Open nothing yet.
	 * @param channel the channel's name
	 */
	Subscription(RedisConnectionFactory connectionFactory, Supplier<String> channel, Owner owner) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.owner = owner;
	}

	@Override
	public void run() {
		try {
			RedisConnection taken = this.connectionFactory.getConnection();
			if (keep(taken)) {
				taken.subscribe(this, ScriptCall.bytes(this.channel.get()));
				opened();
				hangUpIfLeft(taken);
			}
		}
		catch (RuntimeException ex) {
			this.owner.failed(this, ex);
			opened();
			close();
		}
	}

	/** A pool must not give out again what is left; Jedis has just given it back. */
	private void hangUpIfLeft(RedisConnection gone) {
		if (this.left) {
			hangUp(gone);
		}
	}

	private boolean keep(RedisConnection taken) {
		synchronized (this) {
			this.connection = taken;
			if (!this.closed) {
				return true;
			}
		}
		opened();
		return false;
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

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		boolean wanted = this.owner.begun(this);
		opened();
		if (wanted) {
			this.owner.subscribed();
		}
		else {
			close();
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
	 * @return completes when it has ended, if that was begun here
	 */
	CompletableFuture<@Nullable Void> close() {
		RedisConnection gone;
		synchronized (this) {
			this.closed = true;
			gone = this.opened ? this.connection : null;
			if (gone == null) {
				return CompletableFuture.completedFuture(null);
			}
			this.connection = null;
		}
		CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
		onAThreadOfItsOwn(() -> {
			hangUpIfLeft(gone);
			giveBack(gone);
			ended.complete(null);
		});
		return ended;
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

	private void hangUp(RedisConnection gone) {
		try {
			this.owner.hangUp(gone);
		}
		catch (RuntimeException ex) {
			logger.debug("The connection of the subscription was broken already", ex);
		}
	}

	private static void giveBack(RedisConnection gone) {
		try {
			gone.close();
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the subscription failed", ex);
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

		/** Break a connection that is left, so that a pool does not give it out again. */
		void hangUp(RedisConnection connection);

	}

}
