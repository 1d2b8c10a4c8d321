package io.lockstarter.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The one subscription of this client, opened at the first wait and kept. The client
 * library subscribes again after a lost connection; because messages may have been missed
 * until then, every (re-)subscription counts as a wake-up for all.
 */
final class WakeChannel implements MessageListener, SubscriptionListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(WakeChannel.class);

	private final RedisConnectionFactory connectionFactory;

	private final String channel;

	private final Executor connector;

	private final Consumer<String> onMessage;

	private final Runnable onSubscribed;

	private @Nullable RedisConnection connection;

	private boolean opening;

	private boolean refused;

	private boolean closed;

	private volatile boolean wanted;

	private volatile boolean subscribed;

	WakeChannel(RedisConnectionFactory connectionFactory, String channel, Executor connector,
			Consumer<String> onMessage, Runnable onSubscribed) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.connector = connector;
		this.onMessage = onMessage;
		this.onSubscribed = onSubscribed;
	}

	/**
	 * Open the subscription unless it is open or being opened. Called at every wait, so
	 * that a failed attempt is repeated as long as somebody waits.
	 */
	void ensureOpen() {
		synchronized (this) {
			if (this.closed || this.opening || isOpen()) {
				return;
			}
			this.opening = true;
			this.wanted = true;
		}
		this.connector.execute(this::open);
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

	/**
	 * Open the subscription anew, if it was open: its connection is gone for good.
	 */
	void reopen() {
		RedisConnection gone;
		synchronized (this) {
			gone = this.connection;
			this.connection = null;
			this.subscribed = false;
		}
		if (gone != null) {
			close(gone);
			ensureOpen();
		}
	}

	/**
	 * Return whether anybody has waited yet, so that a subscription ought to be there.
	 */
	boolean isWanted() {
		return this.wanted;
	}

	private boolean isOpen() {
		return this.connection != null && !this.connection.isClosed() && this.connection.isSubscribed();
	}

	private void open() {
		RedisConnection opened = null;
		try {
			opened = this.connectionFactory.getConnection();
			opened.subscribe(this, this.channel.getBytes(StandardCharsets.UTF_8));
			this.refused = false;
		}
		catch (RuntimeException ex) {
			if (!this.refused) {
				logger.warn("Cannot subscribe to " + this.channel + "; waiting locks are checked once a second until"
						+ " it succeeds", ex);
			}
			this.refused = true;
		}
		finally {
			keep(opened);
		}
	}

	private void keep(@Nullable RedisConnection opened) {
		RedisConnection superfluous;
		synchronized (this) {
			this.opening = false;
			superfluous = this.closed ? opened : this.connection;
			this.connection = this.closed ? null : opened;
		}
		close(superfluous);
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		String body = new String(message.getBody(), StandardCharsets.UTF_8);
		if (!body.isEmpty()) {
			this.onMessage.accept(body);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		this.subscribed = true;
		this.onSubscribed.run();
	}

	@Override
	public void close() {
		RedisConnection current;
		synchronized (this) {
			this.closed = true;
			this.subscribed = false;
			current = this.connection;
			this.connection = null;
		}
		close(current);
	}

	private static void close(@Nullable RedisConnection connection) {
		if (connection == null) {
			return;
		}
		try {
			connection.close();
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the subscription failed", ex);
		}
	}

}
