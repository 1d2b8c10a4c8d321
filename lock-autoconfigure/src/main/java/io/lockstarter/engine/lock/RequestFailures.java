package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.BackendState.Requesting;
import org.jspecify.annotations.Nullable;

/**
 * Completion of requests without the lock: by a refusal, by a failure, or at the end of
 * their wait. Used under the monitor of the {@link LocalLock}.
 */
final class RequestFailures {

	/** Retry interval while subscribed: 1 s. */
	static final long RECHECK_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Delay after the expiry of the reported lease until the request is repeated: 1 ms.
	 */
	private static final long AFTER_EXPIRY_NANOS = Duration.ofMillis(1).toNanos();

	private final LocalQueue queue;

	private final LocalGrants grants;

	private final BackendExchange exchange;

	private final Effects effects;

	/** Holder in another instance, as described by the last refusal. */
	private @Nullable Holder lastHolder;

	/** The moment at which {@link #lastHolder} was described. */
	private @Nullable Moment lastHolderSeen;

	private @Nullable Outage outage;

	/**
	 * Reason why the backend does not grant locks at present, or {@code null} if it does.
	 */
	private @Nullable LockBackendException notReady;

	/** Number of replies to acquire requests. */
	private long replies;

	RequestFailures(LocalQueue queue, LocalGrants grants, BackendExchange exchange, Effects effects) {
		this.queue = queue;
		this.grants = grants;
		this.exchange = exchange;
		this.effects = effects;
	}

	/**
	 * Returns the number of replies that precede the reply to the next acquire request.
	 */
	long repliesBeforeNext() {
		return this.replies + (this.exchange.isRequesting() ? 1 : 0);
	}

	/** Counts a reply to an acquire request, or a grant by message. */
	void replied() {
		this.replies++;
	}

	/** Ends an outage, because the backend has replied. */
	void endOutage() {
		this.outage = null;
		this.notReady = null;
	}

	/** Returns whether this JVM waits for the end of an outage. */
	boolean isOutage() {
		return this.outage != null;
	}

	/**
	 * Returns whether the acquire request in flight is the first that can grant the lock
	 * to a request. A free lock is acquired however short the wait time is.
	 */
	boolean isFirstReplyInFlight(Waiter waiter, Moment now) {
		return this.exchange.isRequesting() && outageOf(waiter, now) == null && !waiter.hasReply(this.replies);
	}

	/** Handles a refused acquire request. */
	void refused(Requesting ended, Refused reply, Moment sentAt, Moment now) {
		Acquire command = ended.command();
		Waiter requester = ended.requester();
		this.lastHolder = reply.holder();
		this.lastHolderSeen = now;
		this.notReady = reply.notReady();
		if (command.waits()) {
			this.queue.stand();
		}
		boolean waitsOn = requester.waits() && this.queue.contains(requester);
		refuseThoseWhoTryOnce((waiter) -> (waitsOn && isBehind(requester, waiter)) || isRefusedLike(requester, waiter),
				now);
		this.exchange.refused();
		if (!command.waits()) {
			// This JVM keeps its previous queue position, which may have been assigned to
			// a
			// request that has been withdrawn since.
			this.exchange.requestAgainWith(ended.position());
			return;
		}
		long expiry = reply.holder().remainingLease().toNanos() + AFTER_EXPIRY_NANOS;
		this.exchange.awaitTurn(QueuePosition.of(reply.position(), requester, command, sentAt, reply.micros()),
				requester, ended.woken(), RECHECK_NANOS, expiry);
	}

	/**
	 * Returns whether a request has to queue behind the waiting requester. Only readers
	 * may pass a reader.
	 */
	private static boolean isBehind(Waiter requester, Waiter waiter) {
		return !(requester.isReader() && waiter.isReader());
	}

	/**
	 * Returns whether a refusal also applies to another request. It does not apply to a
	 * request with other conditions, or to one that arrived while the acquire request was
	 * in flight: the lock may be free now.
	 */
	private boolean isRefusedLike(Waiter requester, Waiter waiter) {
		return requester.hasConditionsLike(waiter) && waiter.hasReply(this.replies);
	}

	/**
	 * Handles a failed acquire request.
	 * @param sent whether the request was sent
	 */
	void failed(Requesting ended, boolean sent, LockBackendException cause, Moment now) {
		Acquire command = ended.command();
		QueuePosition position = ended.position();
		boolean outlasts = this.queue.isStanding() && Outage.isTemporary(cause);
		if (sent && (cause.mayHaveRun() || (!outlasts && ended.woken()))) {
			this.effects.add(new Effect.CancelUntilConfirmed(command.tenure(), command.lease()));
			if (position != null && position.isFor(command.tenure())) {
				position = position.withoutTenure();
			}
		}
		if (outlasts) {
			outlast(ended, cause, position, now);
		}
		else {
			this.outage = null;
			this.exchange.requestAgainWith(position);
			fail(failsWith(ended.requester(), cause, now), (waiter) -> cause, now);
		}
	}

	/**
	 * Repeats the acquire request later for the requests that the backend has made to
	 * wait.
	 */
	private void outlast(Requesting ended, LockBackendException cause, @Nullable QueuePosition position, Moment now) {
		Outage current = (this.outage != null) ? this.outage.extend(cause) : Outage.begin(ended.since(), cause);
		this.outage = current;
		for (Waiter waiter : this.queue.removeTriesOnce((waiter) -> true, now)) {
			LockBackendException failure = outageOf(waiter, now);
			this.effects.add(new Effect.Fail(waiter, (failure != null) ? failure : cause));
		}
		if (isOfShortLease(ended.requester(), cause)) {
			// The request would delay others whose longer timeout may allow a reply.
			this.queue.letPass(ended.requester(), now);
		}
		this.exchange.waitWith(position, ended.requester(),
				new Effect.Recheck(current.pauseNanos(), Long.MAX_VALUE, false));
	}

	/** Returns the requests that fail together with the requester. */
	private static Predicate<Waiter> failsWith(Waiter requester, LockBackendException cause, Moment now) {
		if (cause.reason() == Reason.NOT_SUPPORTED) {
			return (waiter) -> waiter == requester;
		}
		if (isOfShortLease(requester, cause)) {
			return (waiter) -> waiter == requester || waiter.waited(now).toNanos() >= Commands.LONGEST_NANOS;
		}
		// The failure would be the same for all: no request has to wait for a timeout of
		// its own.
		return (waiter) -> true;
	}

	/**
	 * Returns whether another request, with a longer timeout, might have been replied to.
	 */
	private static boolean isOfShortLease(Waiter requester, LockBackendException cause) {
		return cause.reason() == Reason.TIMEOUT && requester.timeoutNanos() < Commands.LONGEST_NANOS;
	}

	/** Refuses requests, because the registry is closing. */
	void close(Predicate<Waiter> meant, Moment now) {
		fail(meant, (waiter) -> new LockRegistryClosedException(waiter.request()), now);
	}

	private void fail(Predicate<Waiter> meant, Function<Waiter, LockException> cause, Moment now) {
		for (Waiter waiter : this.queue.all()) {
			if (meant.test(waiter)) {
				this.queue.remove(waiter, now);
				this.effects.add(new Effect.Fail(waiter, cause.apply(waiter)));
			}
		}
	}

	void refuseThoseWhoTryOnce(Predicate<Waiter> meant, Moment now) {
		for (Waiter waiter : this.queue.removeTriesOnce(meant, now)) {
			refuse(waiter, now);
		}
	}

	/** Completes a request that was removed from the queue. */
	void refuse(Waiter waiter, Moment now) {
		LockException silence = outageOf(waiter, now);
		LockException failure = (silence != null) ? silence : this.notReady;
		if (failure != null) {
			this.effects.add(new Effect.Fail(waiter, failure));
			return;
		}
		waiter.sawHolder(holder(waiter, now));
		this.effects.add(new Effect.Refuse(waiter));
	}

	/**
	 * Returns the failure of a request whose wait ends during an outage, or {@code null}
	 * if there is no outage or the request has not been made to wait.
	 */
	private @Nullable LockBackendException outageOf(Waiter waiter, Moment now) {
		Outage current = this.outage;
		return (current != null && waiter.isQueued() && !waiter.waitTime().isZero()) ? current.failureOf(waiter, now)
				: null;
	}

	/**
	 * Returns the holder that blocks a request, as far as this JVM knows.
	 */
	@Nullable Holder holder(Waiter waiter, Moment now) {
		Holder here = this.grants.holder(now);
		boolean isPermit = waiter.mode() == Exclusivity.PERMIT && this.exchange.exclusive() == null;
		return (here == null || (isPermit && this.lastHolder != null)) ? lastHolder(now) : here;
	}

	/**
	 * Returns the holder in another instance, adjusted by the time since the refusal that
	 * described it.
	 */
	private @Nullable Holder lastHolder(Moment now) {
		Holder seen = this.lastHolder;
		Moment at = this.lastHolderSeen;
		return (seen != null && at != null) ? seen.after(Duration.ofNanos(at.elapsedNanos(now))) : seen;
	}

}
