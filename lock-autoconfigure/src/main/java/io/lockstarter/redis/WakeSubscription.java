package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend.WakeListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Brings a client the messages that are sent to it, from the first wait on, and finds out
 * when they come no more.
 * <p>
 * Safe for use by many threads.
 */
final class WakeSubscription implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(WakeSubscription.class);

	private final LockKeys keys;

	private final WakeChannel channel;

	private final WakeMessages messages;

	private final WakeEcho echo;

	private final RedisCommands redis;

	private volatile boolean reopened;

	/**
	 * Subscribe to nothing yet.
	 * @param redis sends what a client tells itself
	 */
	WakeSubscription(RedisConnectionFactory connectionFactory, LockKeys keys, Supplier<String> clientId,
			RedisCommands redis) {
		this.keys = keys;
		this.redis = redis;
		this.channel = new WakeChannel(connectionFactory, keys::wakeChannel, this::received, this::subscribed,
				redis::hangUp);
		this.messages = new WakeMessages(keys, clientId);
		this.echo = new WakeEcho(() -> callMyself().thenApply((reached) -> reached > 0 || redis.isCluster()),
				this::silent, this::unreached);
	}

	void listen(WakeListener listener) {
		this.messages.listen(listener);
	}

	private void received(String message) {
		this.echo.heard();
		if (!message.isEmpty()) {
			this.messages.received(message);
		}
	}

	private void subscribed() {
		this.echo.heard();
		this.messages.subscribed();
		if (this.reopened) {
			// It may lead to the server that was to be left.
			this.echo.ask();
		}
	}

	/**
	 * Send a message to the own channel; completes with how many subscribers to it Redis
	 * has, or the node of a cluster that was asked.
	 */
	CompletableFuture<Long> callMyself() {
		return this.redis.publish(this.keys.wakeChannel(), "");
	}

	private void silent() {
		if (this.redis.leavesSilence()) {
			this.channel.reopenSilent();
		}
	}

	private void unreached() {
		if (this.channel.isSubscribed()) {
			logger.info("The subscription leads to another server than commands, and is opened anew");
			reopen();
		}
	}

	/** Open it unless it is open or being opened: somebody waits. */
	void ensureOpen() {
		this.channel.ensureOpen();
	}

	/** Open it anew, if it was open: its connection is gone for good. */
	void reopen() {
		this.reopened = true;
		this.channel.reopen();
	}

	/** Messages should come if there are any, but none has for a while. */
	void suspect() {
		if (this.channel.isSubscribed()) {
			this.echo.suspect();
		}
	}

	/** Return whether messages arrive, as far as is known. Opens it if not. */
	boolean isListening() {
		return this.channel.isListening();
	}

	/** Return whether anybody has waited yet, so that it ought to be there. */
	boolean isWanted() {
		return this.channel.isWanted();
	}

	/** Completes with whether a message comes; exceptionally if none could be sent. */
	CompletableFuture<Boolean> isHeard() {
		return this.echo.ask();
	}

	@Override
	public void close() {
		if (this.redis.isStopped()) {
			this.channel.abandon();
		}
		else {
			this.channel.close();
		}
	}

}
