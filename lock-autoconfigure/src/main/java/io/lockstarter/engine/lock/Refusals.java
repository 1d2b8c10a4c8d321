package io.lockstarter.engine.lock;

import java.time.Duration;
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
import io.lockstarter.engine.lock.RemoteState.Asking;
import org.jspecify.annotations.Nullable;

/**
 * Completion of requests without the lock: by a refusal, by a failure, or at the end of
 * their wait. Used under the monitor of the {@link LocalLock}.
 */
final class Refusals {

	static final long RECHECK_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Delay after the expiry of the reported lease until the request is repeated: 1 ms.
	 */
	private static final long AFTER_EXPIRY_NANOS = Duration.ofMillis(1).toNanos();

	private final LocalQueue queue;

	private final LocalGrants grants;

	private final Conversation conversation;

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
	private long answers;

	Refusals(LocalQueue queue, LocalGrants grants, Conversation conversation, Effects effects) {
		this.queue = queue;
		this.grants = grants;
		this.conversation = conversation;
		this.effects = effects;
	}

	/**
	 * Returns the number of replies that precede the reply to the next acquire request.
	 */
	long answersBeforeNext() {
		return this.answers + (this.conversation.isAsking() ? 1 : 0);
	}

	/** Counts a reply to an acquire request, or a grant by message. */
	void answered() {
		this.answers++;
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
	boolean isFirstAnswerUnderWay(Waiter waiter, Moment now) {
		return this.conversation.isAsking() && outageOf(waiter, now) == null && !waiter.wasAnswered(this.answers);
	}

	/** Handles a refused acquire request. */
	void refused(Asking asked, Refused answer, Moment sentAt, Moment now) {
		Acquire command = asked.command();
		Waiter asker = asked.asker();
		this.lastHolder = answer.holder();
		this.lastHolderSeen = now;
		this.notReady = answer.notReady();
		if (command.waits()) {
			this.queue.stand();
		}
		boolean asksOn = asker.waits() && this.queue.contains(asker);
		refuseThoseWhoTryOnce((waiter) -> (asksOn && isBehind(asker, waiter)) || isAnsweredLike(asker, waiter), now);
		this.conversation.refused();
		if (!command.waits()) {
			// This JVM keeps its previous registration, which may serve a request that
			// has been withdrawn.
			this.conversation.askAgainWith(asked.registration());
			return;
		}
		long expiry = answer.holder().remainingLease().toNanos() + AFTER_EXPIRY_NANOS;
		this.conversation.awaitTurn(Registration.of(answer.position(), asker, command, sentAt, answer.micros()), asker,
				asked.woken(), RECHECK_NANOS, expiry);
	}

	/**
	 * Returns whether a request has to queue behind the waiting requester. Only readers
	 * may pass a reader.
	 */
	private static boolean isBehind(Waiter asker, Waiter waiter) {
		return !(asker.isReader() && waiter.isReader());
	}

	/**
	 * Returns whether a refusal also applies to another request. It does not apply to a
	 * request with other conditions, or to one that arrived while the acquire request was
	 * in flight: the lock may be free now.
	 */
	private boolean isAnsweredLike(Waiter asker, Waiter waiter) {
		return asker.asksLike(waiter) && waiter.wasAnswered(this.answers);
	}

	/**
	 * Handles a failed acquire request.
	 * @param sent whether the request was sent
	 */
	void failed(Asking asked, boolean sent, LockBackendException cause, Moment now) {
		Acquire command = asked.command();
		Registration registration = asked.registration();
		boolean outlasts = this.queue.isStanding() && Outage.mayBe(cause);
		if (sent && (cause.mayHaveRun() || (!outlasts && asked.woken()))) {
			this.effects.add(new Effect.EndForSure(command.tenure(), command.lease()));
			if (registration != null && registration.isFor(command.tenure())) {
				registration = registration.withoutTenure();
			}
		}
		if (outlasts) {
			outlast(asked, cause, registration, now);
		}
		else {
			this.outage = null;
			this.conversation.askAgainWith(registration);
			fail(failsWith(asked.asker(), cause, now), cause, now);
		}
	}

	/**
	 * Repeats the acquire request later for the requests that the backend has made to
	 * wait.
	 */
	private void outlast(Asking asked, LockBackendException cause, @Nullable Registration registration, Moment now) {
		Outage current = (this.outage != null) ? this.outage.goOn(cause) : Outage.begin(asked.since(), cause);
		this.outage = current;
		for (Waiter waiter : this.queue.removeTriesOnce((waiter) -> true, now)) {
			LockBackendException told = outageOf(waiter, now);
			this.effects.add(new Effect.Fail(waiter, (told != null) ? told : cause));
		}
		if (isOfShortLease(asked.asker(), cause)) {
			// The request would delay others whose longer timeout may allow a reply.
			this.queue.letPass(asked.asker(), now);
		}
		this.conversation.waitWith(registration, asked.asker(),
				new Effect.Recheck(current.pauseNanos(), Long.MAX_VALUE, false));
	}

	/** Returns the requests that fail together with the requester. */
	private static Predicate<Waiter> failsWith(Waiter asker, LockBackendException cause, Moment now) {
		if (cause.reason() == Reason.NOT_SUPPORTED) {
			return (waiter) -> waiter == asker;
		}
		if (isOfShortLease(asker, cause)) {
			return (waiter) -> waiter == asker || waiter.waited(now).toNanos() >= Commands.LONGEST_NANOS;
		}
		// The failure would be the same for all: no request has to wait for a timeout of
		// its own.
		return (waiter) -> true;
	}

	/**
	 * Returns whether another request, with a longer timeout, might have been replied to.
	 */
	private static boolean isOfShortLease(Waiter asker, LockBackendException cause) {
		return cause.reason() == Reason.TIMEOUT && asker.timeoutNanos() < Commands.LONGEST_NANOS;
	}

	private void fail(Predicate<Waiter> meant, LockException cause, Moment now) {
		for (Waiter waiter : this.queue.all()) {
			if (meant.test(waiter)) {
				this.queue.remove(waiter, now);
				this.effects.add(new Effect.Fail(waiter, cause));
			}
		}
	}

	/** Refuses requests, because the registry is closing. */
	void close(Predicate<Waiter> meant, Moment now) {
		for (Waiter waiter : this.queue.all()) {
			if (meant.test(waiter)) {
				this.queue.remove(waiter, now);
				this.effects.add(new Effect.Fail(waiter, new LockRegistryClosedException(waiter.request())));
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
		boolean asksHow = waiter.mode() == HoldMode.PERMIT && this.conversation.exclusive() == null;
		return (here == null || (asksHow && this.lastHolder != null)) ? lastHolder(now) : here;
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
