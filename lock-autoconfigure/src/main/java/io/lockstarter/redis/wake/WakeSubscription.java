package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisFailure;
import io.lockstarter.redis.script.ClientText;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Brings a client the messages that are sent to it, from the first wait on.
 * <p>
 * Safe for use by many threads.
 */
public final class WakeSubscription implements AutoCloseable {

	private static final LockLog logger = LockLog.of(WakeSubscription.class);

	private final LockKeys keys;

	private final WakeChannel channel;

	private final WakeMessages messages;

	private final SubscriptionCheck check;

	private final CommandSender redis;

	/** Is told what other clients say about no lock, if anybody wants to know. */
	private volatile @Nullable Consumer<String> clients;

	private final MessageRefusals refusals = new MessageRefusals();

	/**
	 * Whether the last attempt to hear messages has failed. A subscription that is only
	 * being made is none.
	 */
	private volatile boolean deaf;

	/**
	 * Subscribe to nothing yet.
	 * @param redis sends what a client tells itself
	 */
	public WakeSubscription(LockKeys keys, Supplier<String> clientId, CommandSender redis) {
		this.keys = keys;
		this.redis = redis;
		this.channel = new WakeChannel(redis::openForSubscription, this::channels, this::received, this::subscribed,
				this::notSubscribed, redis.unsubscriber());
		this.messages = new WakeMessages(keys, clientId);
		this.check = new SubscriptionCheck(this::callMyself, this::heard, this::silent, this::unreached);
	}

	public void listen(WakeListener listener) {
		this.messages.listen(listener);
	}

	void listenToClients(Consumer<String> listener) {
		this.clients = listener;
		// It may be open without the channel that all share.
		this.channel.reopen();
	}

	private List<String> channels() {
		String own = this.keys.wakeChannel();
		return (this.clients != null) ? List.of(own, this.keys.sharedChannel()) : List.of(own);
	}

	private void received(String message) {
		this.check.heard();
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
		this.deaf = true;
		RedisFailure cause = this.redis.explain(failure);
		if (!MessageRefusals.isRefusal(cause)) {
			this.refusals.warnOfFailure(this.keys.wakeChannel(), failure);
		}
		else if (!this.refusals.isSubscriptionRefused()) {
			this.refusals.subscription(cause.text());
			callMyself().whenComplete((sent, unknown) -> this.refusals.warn(this.channel.isSubscribed()));
		}
	}

	/**
	 * Send a message to the own channel, in the way in which others send theirs.
	 * @return completes with what became of it, when Redis has it
	 */
	private CompletableFuture<SubscriptionCheck.Sent> callMyself() {
		ScriptCall call = new ScriptCall(LuaScript.ECHO, List.of(this.keys.wakeChannel()), List.of());
		return this.redis.runText(call).handle((reply, failure) -> {
			if (failure == null) {
				Reply sent = new Reply(reply);
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
		this.deaf = true;
		this.refusals.warn(this.channel.isSubscribed());
		return SubscriptionCheck.Sent.REFUSED;
	}

	private void heard() {
		boolean missed = this.deaf;
		this.deaf = false;
		this.refusals.over();
		if (missed) {
			this.messages.missed();
		}
	}

	private void silent() {
		boolean again = this.deaf;
		this.deaf = true;
		if (this.redis.dropsUnresponsive() && isExpected()) {
			if (!again) {
				logger.warn("A message to %s has not come; its subscription is opened anew"
					.formatted(this.keys.wakeChannel()));
			}
			this.channel.reopen();
		}
	}

	private void unreached() {
		if (this.channel.isSubscribed()) {
			logger.info("The subscription leads to another server than commands, and is opened anew");
			this.channel.reopen();
		}
	}

	/** Open it unless it is open or being opened: somebody waits. */
	public void ensureOpen() {
		this.channel.ensureOpen();
	}

	/**
	 * Somebody waits who was refused, and who has a place among the waiters if it was
	 * refused before: then a message may have been lost.
	 */
	public void await(boolean again) {
		ensureOpen();
		if (again) {
			suspect();
		}
	}

	/** Open it anew, if it was open: its connection is gone for good. */
	public void reopen() {
		this.channel.reopen();
	}

	/** Messages should come if there are any, but none has for a while. */
	public void suspect() {
		if (isExpected()) {
			this.check.suspect();
		}
	}

	/** Whether the subscription is there, or should be. */
	private boolean isExpected() {
		return this.channel.isSubscribed() || this.channel.isOverdue();
	}

	/**
	 * Return whether messages arrive, as far as is known. Opens it, or asks again, if
	 * not.
	 */
	public boolean isListening() {
		if (this.channel.isListening() && this.check.comes()) {
			return true;
		}
		suspect();
		return false;
	}

	/**
	 * Return whether no message would be heard: this client has tried and failed. Nothing
	 * may be granted to it by a message then.
	 */
	public boolean isDeaf() {
		return this.deaf;
	}

	/**
	 * Look how it stands; completes exceptionally if Redis does not answer.
	 */
	public CompletableFuture<State> look() {
		CompletableFuture<String> subscription;
		if (!this.channel.isWanted()) {
			subscription = callMyself().thenApply((sent) -> "not needed yet");
		}
		else if (this.refusals.isSubscriptionRefused()) {
			subscription = callMyself().thenApply((sent) -> "down");
		}
		else {
			subscription = this.check.ask()
				.thenApply((answer) -> (answer != SubscriptionCheck.Answer.SILENCE && this.channel.isSubscribed())
						? "up" : "down");
		}
		return subscription.thenApply((state) -> {
			String refused = this.refusals.describe();
			return new State(state, refused.isEmpty() ? "allowed" : "refused: " + refused);
		});
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

	/**
	 * How it stands.
	 *
	 * @param subscription whether messages come
	 * @param messages whether they are allowed, and if not what is refused
	 */
	public record State(String subscription, String messages) {
	}

}
