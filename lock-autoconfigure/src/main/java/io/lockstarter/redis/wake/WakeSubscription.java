package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.client.RedisFailure;
import io.lockstarter.redis.script.LockKeys;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Brings a client the messages that are sent to it, from the first wait on, and finds out
 * when they come no more, or are refused.
 * <p>
 * Safe for use by many threads.
 */
public final class WakeSubscription implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(WakeSubscription.class);

	private final LockKeys keys;

	private final WakeChannel channel;

	private final WakeMessages messages;

	private final SubscriptionCheck echo;

	private final CommandSender redis;

	/** Why Redis refuses a subscription, or {@code null} if it does not. */
	private volatile @Nullable String subscribingRefused;

	/** Why Redis refuses to send messages, or {@code null} if it does not. */
	private volatile @Nullable String publishingRefused;

	/**
	 * Whether the last attempt to hear messages has failed. A subscription that is only
	 * being made is none.
	 */
	private volatile boolean deaf;

	/** What was told of that in the log, or {@code null} if nothing. */
	private @Nullable String told;

	/**
	 * Subscribe to nothing yet.
	 * @param redis sends what a client tells itself
	 */
	public WakeSubscription(RedisConnectionFactory connectionFactory, LockKeys keys, Supplier<String> clientId,
			CommandSender redis) {
		this.keys = keys;
		this.redis = redis;
		this.channel = new WakeChannel(connectionFactory, keys::wakeChannel, this::received, this::subscribed,
				this::notSubscribed, redis::hangUp);
		this.messages = new WakeMessages(keys, clientId);
		this.echo = new SubscriptionCheck(this::callMyself, this::heard, this::silent, this::unreached);
	}

	public void listen(WakeListener listener) {
		this.messages.listen(listener);
	}

	private void received(String message) {
		this.echo.heard();
		if (!message.isEmpty()) {
			this.messages.received(message);
		}
	}

	private void subscribed() {
		this.subscribingRefused = null;
		this.messages.missed();
		this.echo.begin();
	}

	private void notSubscribed(RuntimeException failure) {
		this.deaf = true;
		RedisFailure cause = this.redis.explain(failure);
		if (!isRefusal(cause)) {
			if (isNews("")) {
				logger.warn("No subscription to %s; waiting locks are checked ten times a second until there is one"
					.formatted(this.keys.wakeChannel()), failure);
			}
		}
		else if (this.subscribingRefused == null) {
			this.subscribingRefused = cause.text();
			callMyself().whenComplete((sent, unknown) -> tellRefusal());
		}
	}

	/** Whether Redis will not do it, however well it is. */
	private static boolean isRefusal(RedisFailure cause) {
		if (cause.kind() != RedisFailure.Kind.REFUSED || cause.text().contains("max number of clients")) {
			return false;
		}
		Reason reason = RedisErrors.translate(LockBackendException.NO_LOCK, cause).reason();
		return reason == Reason.NOT_AUTHORIZED || reason == Reason.OTHER;
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
			if (!isRefusal(cause)) {
				throw cause;
			}
			return published(cause.text(), false);
		});
	}

	private SubscriptionCheck.Sent published(String refusal, boolean reached) {
		this.publishingRefused = refusal.isEmpty() ? null : refusal;
		if (refusal.isEmpty()) {
			return reached ? SubscriptionCheck.Sent.REACHED : SubscriptionCheck.Sent.UNREACHED;
		}
		this.deaf = true;
		tellRefusal();
		return SubscriptionCheck.Sent.REFUSED;
	}

	/**
	 * Tell all that is refused at once: when it is known as well whether a subscription
	 * is.
	 */
	private void tellRefusal() {
		String refused = refused();
		boolean complete = this.subscribingRefused != null || this.channel.isSubscribed();
		if (complete && !refused.isEmpty() && isNews(refused)) {
			String warning = "Redis refuses the messages that tell who waits for a lock: %s. Locks work, but who waits"
					+ " has to ask ten times a second, and a lock that is handed over within an instance goes through"
					+ " Redis every 10 ms";
			logger.warn(warning.formatted(OneLine.of(refused)));
		}
	}

	private synchronized boolean isNews(String state) {
		boolean news = !state.equals(this.told);
		this.told = state;
		return news;
	}

	/** What Redis refuses and why; empty if nothing. */
	private String refused() {
		return Stream
			.of(text("SUBSCRIBE", this.subscribingRefused), text("PUBLISH in a script", this.publishingRefused))
			.filter((text) -> !text.isEmpty())
			.collect(Collectors.joining(" and "));
	}

	private static String text(String command, @Nullable String refusal) {
		return (refusal != null) ? "%s (%s)".formatted(command, refusal) : "";
	}

	private void heard() {
		boolean missed = this.deaf;
		synchronized (this) {
			this.deaf = false;
			this.told = null;
		}
		this.publishingRefused = null;
		if (missed) {
			this.messages.missed();
		}
	}

	private void silent() {
		boolean again = this.deaf;
		this.deaf = true;
		if (this.redis.leavesSilence() && this.channel.isSubscribed()) {
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

	/** Open it anew, if it was open: its connection is gone for good. */
	public void reopen() {
		this.channel.reopen();
	}

	/** Messages should come if there are any, but none has for a while. */
	public void suspect() {
		if (this.channel.isSubscribed()) {
			this.echo.suspect();
		}
	}

	/**
	 * Return whether messages arrive, as far as is known. Opens it, or asks again, if
	 * not.
	 */
	public boolean isListening() {
		if (this.channel.isListening() && this.echo.comes()) {
			return true;
		}
		suspect();
		return false;
	}

	/**
	 * Return whether no message would be heard: this client has tried in vain. Nothing
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
		else if (this.subscribingRefused != null) {
			subscription = callMyself().thenApply((sent) -> "down");
		}
		else {
			subscription = this.echo.ask()
				.thenApply((answer) -> (answer != SubscriptionCheck.Answer.SILENCE && this.channel.isSubscribed())
						? "up" : "down");
		}
		return subscription.thenApply((state) -> {
			String refused = refused();
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
