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
 * Reasons for which Redis refuses this client's messages, each logged once.
 * <p>
 * Safe for use by multiple threads.
 */
final class MessageRefusals {

	private static final LockLog logger = LockLog.of(MessageRefusals.class);

	/** Reason for which Redis refuses to subscribe, or {@code null}. */
	private volatile @Nullable String subscribing;

	/** Reason for which Redis refuses to publish, or {@code null}. */
	private volatile @Nullable String publishing;

	/** State that was logged last, or {@code null}. */
	private @Nullable String logged;

	/** Returns whether the failure is a permanent refusal, and not an outage. */
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

	/** Records that Redis subscribed, or its reason to refuse that. */
	void subscription(@Nullable String refusal) {
		this.subscribing = refusal;
	}

	/** Records that Redis published a message, or its reason to refuse that. */
	void publication(@Nullable String refusal) {
		this.publishing = refusal;
	}

	/** Records that messages arrive, so that the next failure is logged again. */
	void clear() {
		synchronized (this) {
			this.logged = null;
		}
		this.publishing = null;
	}

	/** Warns that subscribing failed and will be retried. */
	void warnOfFailure(String channel, RuntimeException failure) {
		if (updateLogged("")) {
			logger.warn("Subscribing to %s failed; waiting requests poll ten times a second until it succeeds"
				.formatted(channel), failure);
		}
	}

	/**
	 * Warns of all refusals in one message, once it is known whether Redis also refuses
	 * to subscribe.
	 * @param subscribed whether the client is subscribed
	 */
	void warn(boolean subscribed) {
		String refused = describe();
		boolean complete = subscribed || isSubscriptionRefused();
		if (complete && !refused.isEmpty() && updateLogged(refused)) {
			String warning = "Redis refuses wake-up messages: %s. Locks work, but waiting requests poll ten times a second,"
					+ " and a lock that is handed over within an instance goes through Redis every 10 ms";
			logger.warn(warning.formatted(OneLine.of(refused)));
		}
	}

	private synchronized boolean updateLogged(String state) {
		boolean changed = !state.equals(this.logged);
		this.logged = state;
		return changed;
	}

	/** Returns what Redis refuses and why, or an empty string if nothing. */
	String describe() {
		return Stream.of(describe("SUBSCRIBE", this.subscribing), describe("PUBLISH in a script", this.publishing))
			.filter((text) -> !text.isEmpty())
			.collect(Collectors.joining(" and "));
	}

	private static String describe(String command, @Nullable String refusal) {
		return (refusal != null) ? "%s (%s)".formatted(command, refusal) : "";
	}

}
