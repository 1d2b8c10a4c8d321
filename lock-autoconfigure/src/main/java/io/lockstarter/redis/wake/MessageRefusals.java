package io.lockstarter.redis.wake;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.OneLine;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.client.RedisFailure;
import org.jspecify.annotations.Nullable;

/**
 * What keeps messages from this client, of which the log is told once.
 */
final class MessageRefusals {

	private static final LockLog logger = LockLog.of(MessageRefusals.class);

	/** Why Redis refuses a subscription, or {@code null} if it does not. */
	private volatile @Nullable String subscribing;

	/** Why Redis refuses to send messages, or {@code null} if it does not. */
	private volatile @Nullable String publishing;

	/** What was told in the log, or {@code null} if nothing. */
	private @Nullable String told;

	/** Whether Redis will not do it, however well it is. */
	static boolean isRefusal(RedisFailure cause) {
		if (cause.kind() != RedisFailure.Kind.REFUSED || cause.text().contains("max number of clients")) {
			return false;
		}
		Reason reason = RedisErrors.translate(LockBackendException.NO_LOCK, cause).reason();
		return reason == Reason.NOT_AUTHORIZED || reason == Reason.OTHER;
	}

	boolean isSubscriptionRefused() {
		return this.subscribing != null;
	}

	/** There is a subscription, or Redis refuses it for a reason. */
	void subscription(@Nullable String refusal) {
		this.subscribing = refusal;
	}

	/** A message was sent, or Redis refuses that for a reason. */
	void publication(@Nullable String refusal) {
		this.publishing = refusal;
	}

	/** Messages come: whatever keeps them off the next time is news. */
	void over() {
		synchronized (this) {
			this.told = null;
		}
		this.publishing = null;
	}

	/** Warn of a subscription that has failed, and is tried again. */
	void warnOfFailure(String channel, RuntimeException failure) {
		if (isNews("")) {
			logger.warn("No subscription to %s; waiting locks are checked ten times a second until there is one"
				.formatted(channel), failure);
		}
	}

	/**
	 * Warn of all that is refused at once: when it is known as well whether a
	 * subscription is.
	 * @param subscribed whether there is one
	 */
	void warn(boolean subscribed) {
		String refused = describe();
		boolean complete = subscribed || isSubscriptionRefused();
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
	String describe() {
		return Stream.of(describe("SUBSCRIBE", this.subscribing), describe("PUBLISH in a script", this.publishing))
			.filter((text) -> !text.isEmpty())
			.collect(Collectors.joining(" and "));
	}

	private static String describe(String command, @Nullable String refusal) {
		return (refusal != null) ? "%s (%s)".formatted(command, refusal) : "";
	}

}
