package io.lockstarter.redis.wake;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
 * The one subscription of this client, opened at the first wait and kept. After a lost
 * connection it is opened again, by Lettuce, or here where the client library just fails;
 * because messages may have been missed until then, every (re-)subscription counts as a
 * wake-up for all.
 * <p>
 * Each subscription is opened on a thread of its own: with Jedis, that thread stays and
 * listens; with Lettuce, it ends when the subscription is there.
 */
public final class WakeChannel implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(WakeChannel.class);

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LAST_PAUSE_MILLIS = 2000;

	private static final long LONGEST_CLOSE_MILLIS = 1000;

	private final RedisConnectionFactory connectionFactory;

	private final Supplier<String> channel;

	private final Consumer<String> onMessage;

	private final Runnable onSubscribed;

	private final Consumer<RuntimeException> onFailed;

	private final Consumer<RedisConnection> hangUp;

	private @Nullable Subscription current;

	private boolean closed;

	private long pauseMillis = FIRST_PAUSE_MILLIS;

	private volatile boolean wanted;

	private volatile boolean subscribed;

	/**
	 * Subscribe to nothing yet.
	 * @param channel the channel's name
	 * @param onMessage is told each message
	 * @param onSubscribed is told of each subscription, of which nothing is known yet
	 * @param onFailed is told why there is no subscription, which is tried again
	 * @param hangUp breaks a connection that is left, so that a pool does not give it out
	 * again
	 */
	public WakeChannel(RedisConnectionFactory connectionFactory, Supplier<String> channel, Consumer<String> onMessage,
			Runnable onSubscribed, Consumer<RuntimeException> onFailed, Consumer<RedisConnection> hangUp) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.onMessage = onMessage;
		this.onSubscribed = onSubscribed;
		this.onFailed = onFailed;
		this.hangUp = hangUp;
	}

	/**
	 * Open the subscription unless it is open or being opened. Called at every wait, so
	 * that a subscription that ended unnoticed is opened again.
	 */
	public synchronized void ensureOpen() {
		if (this.closed || (this.current != null && !this.current.hasEnded())) {
			return;
		}
		this.wanted = true;
		Subscription begun = new Subscription();
		this.current = begun;
		try {
			LockThreads.daemon("lock-subscribe", begun).start();
		}
		catch (OutOfMemoryError ex) {
			failed(begun, new IllegalStateException("No thread can be had for it", ex));
		}
	}

	private static void later(long millis, Runnable action) {
		try {
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run).execute(action);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("Nothing can be timed, for want of a thread", ex);
		}
	}

	/**
	 * Return whether messages arrive, as far as is known: a broken connection shows when
	 * it has been made again. Opens the subscription if not.
	 */
	public boolean isListening() {
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
	public boolean isWanted() {
		return this.wanted;
	}

	private synchronized @Nullable Subscription forget() {
		Subscription gone = this.current;
		this.current = null;
		this.subscribed = false;
		return gone;
	}

	private synchronized boolean begun(Subscription subscription) {
		if (this.current != subscription) {
			return false;
		}
		this.subscribed = true;
		this.pauseMillis = FIRST_PAUSE_MILLIS;
		return true;
	}

	private synchronized void failed(Subscription subscription, RuntimeException failure) {
		if (this.current != subscription) {
			return;
		}
		forget();
		this.onFailed.accept(failure);
		later(this.pauseMillis, this::ensureOpen);
		this.pauseMillis = Math.min(2 * this.pauseMillis, LAST_PAUSE_MILLIS);
	}

	private void hangUp(RedisConnection gone) {
		try {
			this.hangUp.accept(gone);
		}
		catch (RuntimeException ex) {
			logger.debug("The connection of the subscription was broken already", ex);
		}
	}

	private static void close(RedisConnection gone) {
		try {
			gone.close();
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the subscription failed", ex);
		}
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

	/**
	 * One subscription, from its connection to its end.
	 */
	private final class Subscription implements Runnable, MessageListener, SubscriptionListener {

		private @Nullable RedisConnection connection;

		private boolean opened;

		private boolean closed;

		private volatile boolean left;

		@Override
		public void run() {
			try {
				RedisConnection taken = WakeChannel.this.connectionFactory.getConnection();
				if (keep(taken)) {
					taken.subscribe(this, ScriptCall.bytes(WakeChannel.this.channel.get()));
					opened();
					ended(taken);
				}
			}
			catch (RuntimeException ex) {
				failed(this, ex);
				opened();
				close();
			}
		}

		/** With Jedis, its connection has just gone back to the pool. */
		private void ended(RedisConnection taken) {
			if (this.left) {
				hangUp(taken);
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
			if (begun(this)) {
				opened();
				WakeChannel.this.onSubscribed.run();
			}
			else {
				opened();
				close();
			}
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			WakeChannel.this.onMessage.accept(new String(message.getBody(), StandardCharsets.UTF_8));
		}

		/**
		 * End it. A connection that is closed while it begins to subscribe would
		 * subscribe all the same, and nobody could close it any more.
		 * <p>
		 * Closing waits for the client library's thread, which may be the one that calls:
		 * therefore a thread of its own does it.
		 * @return completes when it has ended, if that was begun here
		 */
		CompletableFuture<@Nullable Void> close() {
			return close(WakeChannel::close);
		}

		/** End it likewise, and see to it that its connection is not used again. */
		void leave() {
			this.left = true;
			close((gone) -> {
				hangUp(gone);
				WakeChannel.close(gone);
			});
		}

		private CompletableFuture<@Nullable Void> close(Consumer<RedisConnection> closing) {
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
				closing.accept(gone);
				ended.complete(null);
			});
			return ended;
		}

		private static void onAThreadOfItsOwn(Runnable task) {
			try {
				LockThreads.daemon("lock-unsubscribe", task).start();
			}
			catch (OutOfMemoryError ex) {
				logger.debug("The subscription is closed later, when there is a thread", ex);
				later(LAST_PAUSE_MILLIS, () -> onAThreadOfItsOwn(task));
			}
		}

	}

}
