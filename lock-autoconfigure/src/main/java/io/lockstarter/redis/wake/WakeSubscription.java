package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisFailure;
import io.lockstarter.redis.script.ClientText;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Source of the messages to this client, from its first wait on.
 * <p>
 * Safe for use by multiple threads.
 */
public final class WakeSubscription implements AutoCloseable {

	private static final LockLog logger = LockLog.of(WakeSubscription.class);

	private final LockKeys keys;

	private final WakeChannel channel;

	private final WakeMessages messages;

	private final SubscriptionCheck check;

	private final CommandSender redis;

	/** Receives the messages of other clients that concern no lock, or {@code null}. */
	private volatile @Nullable Consumer<String> clients;

	private final MessageRefusals refusals = new MessageRefusals();

	/**
	 * True if the client polls because the last attempt to receive messages failed.
	 * Polling does not begin while the first attempt is in progress.
	 */
	private volatile boolean polling;

	/**
	 * Creates a source without subscribing.
	 * @param redis sends echoes to this client
	 * @param threads creates threads that subscribe
	 */
	public WakeSubscription(LockKeys keys, Supplier<String> clientId, CommandSender redis, ThreadFactory threads) {
		this.keys = keys;
		this.redis = redis;
		this.channel = new WakeChannel(threads, redis::openSeparate, this::channels, this::received, this::subscribed,
				this::notSubscribed, redis.unsubscriber());
		this.messages = new WakeMessages(keys, clientId);
		this.check = new SubscriptionCheck(this::sendEcho, this::receiving, this::timedOut, this::unreached);
	}

	/** Sets the listener to notify of messages about locks. */
	public void listen(WakeListener listener) {
		this.messages.listen(listener);
	}

	void subscribeToClients(Consumer<String> listener) {
		this.clients = listener;
		// An open subscription lacks the shared channel.
		this.channel.reopen();
	}

	private List<String> channels() {
		String own = this.keys.wakeChannel();
		return (this.clients != null) ? List.of(own, this.keys.sharedChannel()) : List.of(own);
	}

	private void received(String message) {
		this.check.received();
		String text = ClientText.in(message);
		if (text != null) {
			Consumer<String> listener = this.clients;
			if (listener != null) {
				listener.accept(text);
			}
		}
		else if (!message.isEmpty()) {
			this.messages.received(message);
		}
	}

	private void subscribed() {
		this.refusals.subscription(null);
		this.messages.missed();
		this.check.begin();
	}

	private void notSubscribed(RuntimeException failure) {
		this.polling = true;
		RedisFailure cause = this.redis.explain(failure);
		if (!MessageRefusals.isRefusal(cause)) {
			this.refusals.warnOfFailure(this.keys.wakeChannel(), failure);
		}
		else if (!this.refusals.isSubscriptionRefused()) {
			this.refusals.subscription(cause.text());
			sendEcho().whenComplete((sent, unknown) -> this.refusals.warn(this.channel.isSubscribed()));
		}
	}

	/**
	 * Sends an echo to the client's own channel in the way in which other clients send
	 * messages.
	 * @return a future that completes once Redis has published or refused the echo
	 */
	private CompletableFuture<SubscriptionCheck.Sent> sendEcho() {
		ScriptCall call = new ScriptCall(LuaScript.ECHO, List.of(this.keys.wakeChannel()), List.of());
		return this.redis.runText(call).handle((sent, failure) -> {
			if (failure == null) {
				return published(sent.text(0), sent.number(1) > 0 || this.redis.isCluster());
			}
			RedisFailure cause = this.redis.explain(failure);
			if (!MessageRefusals.isRefusal(cause)) {
				throw cause;
			}
			return published(cause.text(), false);
		});
	}

	private SubscriptionCheck.Sent published(String refusal, boolean reached) {
		if (refusal.isEmpty()) {
			this.refusals.publication(null);
			return reached ? SubscriptionCheck.Sent.REACHED : SubscriptionCheck.Sent.UNREACHED;
		}
		this.refusals.publication(refusal);
		this.polling = true;
		this.refusals.warn(this.channel.isSubscribed());
		return SubscriptionCheck.Sent.REFUSED;
	}

	private void receiving() {
		boolean missed = this.polling;
		this.polling = false;
		this.refusals.clear();
		if (missed) {
			this.messages.missed();
		}
	}

	private void timedOut() {
		boolean again = this.polling;
		this.polling = true;
		if (this.redis.dropsUnresponsive() && shouldReceive()) {
			if (!again) {
				logger.warn("A message to %s did not arrive; its subscription is replaced"
					.formatted(this.keys.wakeChannel()));
			}
			this.channel.reopen();
		}
	}

	private void unreached() {
		if (this.channel.isSubscribed()) {
			logger.info("The subscription leads to another server than commands, and is replaced");
			this.channel.reopen();
		}
	}

	/** Opens the subscription for a waiting request, unless it is open or opening. */
	public void ensureOpen() {
		this.channel.ensureOpen();
	}

	/**
	 * Opens the subscription for a refused request, and checks it if the request was
	 * refused before: then a message may have been lost.
	 * @param again whether the request already has a queue position
	 */
	public void await(boolean again) {
		ensureOpen();
		if (again) {
			checkIfQuiet();
		}
	}

	/** Replaces an open subscription whose connection is lost. */
	public void reopen() {
		this.channel.reopen();
	}

	/** Checks the subscription if no message has arrived for 500 ms. */
	public void checkIfQuiet() {
		if (shouldReceive()) {
			this.check.checkIfQuiet();
		}
	}

	/**
	 * Returns whether the client is subscribed, or opening the subscription has timed
	 * out.
	 */
	private boolean shouldReceive() {
		return this.channel.isSubscribed() || this.channel.isTimedOut();
	}

	/**
	 * Opens or checks the subscription unless messages arrive.
	 * @return whether messages arrive, as far as this client knows
	 */
	public boolean ensureSubscribed() {
		if (this.channel.ensureSubscribed() && this.check.isReceiving()) {
			return true;
		}
		checkIfQuiet();
		return false;
	}

	/**
	 * Returns whether the client polls because subscribing failed. No lock may then be
	 * granted to the client by a message.
	 */
	public boolean isPolling() {
		return this.polling;
	}

	/**
	 * Checks the state of the subscription. The future fails if Redis does not reply.
	 */
	public CompletableFuture<State> inspect() {
		CompletableFuture<String> subscription;
		if (!this.channel.isRequested()) {
			subscription = sendEcho().thenApply((sent) -> "not needed yet");
		}
		else if (this.refusals.isSubscriptionRefused()) {
			subscription = sendEcho().thenApply((sent) -> "down");
		}
		else {
			subscription = this.check.check()
				.thenApply((result) -> (result != SubscriptionCheck.Result.TIMED_OUT && this.channel.isSubscribed())
						? "up" : "down");
		}
		return subscription.thenApply((state) -> {
			String refused = this.refusals.describe();
			return new State(state, refused.isEmpty() ? "allowed" : "refused: " + refused);
		});
	}

	/** Ends the subscription. The next wait opens another one. */
	public void disconnect() {
		this.channel.disconnect();
	}

	@Override
	public void close() {
		this.channel.close();
	}

	/**
	 * State of the subscription.
	 *
	 * @param subscription {@code up}, {@code down} or {@code not needed yet}
	 * @param messages {@code allowed}, or what Redis refuses
	 */
	public record State(String subscription, String messages) {
	}

}
