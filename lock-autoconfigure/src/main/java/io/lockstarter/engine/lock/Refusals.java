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
 * Who does not get the lock, and is told why: by a refusal, by a failure, or at the end
 * of its wait. Used under the monitor of the {@link LocalLock}.
 */
final class Refusals {

	static final long RECHECK_NANOS = Duration.ofSeconds(1).toNanos();

	/** How long after the end of the lease seen to ask again. */
	private static final long AFTER_EXPIRY_NANOS = Duration.ofMillis(1).toNanos();

	private final LocalQueue queue;

	private final LocalGrants grants;

	private final Conversation conversation;

	private final Effects effects;

	/** The holder elsewhere, as the last refusal described it. */
	private @Nullable Holder lastHolder;

	/** The moment at which {@link #lastHolder} was described. */
	private @Nullable Moment lastHolderSeen;

	private @Nullable Outage outage;

	/** Why the backend grants nothing yet; {@code null} if it does. */
	private @Nullable LockBackendException notReady;

	/** How many questions have been answered. */
	private long answers;

	Refusals(LocalQueue queue, LocalGrants grants, Conversation conversation, Effects effects) {
		this.queue = queue;
		this.grants = grants;
		this.conversation = conversation;
		this.effects = effects;
	}

	/**
	 * How many questions will have been answered before one that is asked from now on.
	 */
	long answersBeforeNext() {
		return this.answers + (this.conversation.isAsking() ? 1 : 0);
	}

	/** A question has been answered, or the lock was granted without one. */
	void answered() {
		this.answers++;
	}

	/** The backend answers. */
	void endOutage() {
		this.outage = null;
		this.notReady = null;
	}

	/** Whether this JVM waits for the end of an outage. */
	boolean isOutage() {
		return this.outage != null;
	}

	/**
	 * Whether a question that is under way is the first that can answer a request: a free
	 * lock is taken however short the wait.
	 */
	boolean isFirstAnswerUnderWay(Waiter waiter, Moment now) {
		return this.conversation.isAsking() && outageOf(waiter, now) == null && !waiter.wasAnswered(this.answers);
	}

	/** The lock was refused. */
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
			// Where it was before: perhaps among the waiting, for one who has gone.
			this.conversation.askAgainWith(asked.registration());
			return;
		}
		long expiry = answer.holder().remainingLease().toNanos() + AFTER_EXPIRY_NANOS;
		this.conversation.awaitTurn(Registration.of(answer.position(), asker, command, sentAt, answer.micros()), asker,
				asked.woken(), RECHECK_NANOS, expiry);
	}

	/** Behind one who goes on waiting nobody gets in, but a reader beside a reader. */
	private static boolean isBehind(Waiter asker, Waiter waiter) {
		return !(asker.isReader() && waiter.isReader());
	}

	/**
	 * Those who ask for something else have a question of their own, and those who came
	 * while this one was under way: the lock may be free by now.
	 */
	private boolean isAnsweredLike(Waiter asker, Waiter waiter) {
		return asker.asksLike(waiter) && waiter.wasAnswered(this.answers);
	}

	/**
	 * A question has failed.
	 * @param sent whether it was sent at all
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

	/** Ask again later for those who stand in the queue. */
	private void outlast(Asking asked, LockBackendException cause, @Nullable Registration registration, Moment now) {
		Outage current = (this.outage != null) ? this.outage.goOn(cause) : Outage.begin(asked.since(), cause);
		this.outage = current;
		for (Waiter waiter : this.queue.removeTriesOnce((waiter) -> true, now)) {
			LockBackendException told = outageOf(waiter, now);
			this.effects.add(new Effect.Fail(waiter, (told != null) ? told : cause));
		}
		if (isOfShortLease(asked.asker(), cause)) {
			// It would be in the way of those who may get an answer.
			this.queue.letPass(asked.asker(), now);
		}
		this.conversation.waitWith(registration, asked.asker(),
				new Effect.Recheck(current.pauseNanos(), Long.MAX_VALUE, false));
	}

	/** Those who fail with the request that was asked for. */
	private static Predicate<Waiter> failsWith(Waiter asker, LockBackendException cause, Moment now) {
		if (cause.reason() == Reason.NOT_SUPPORTED) {
			return (waiter) -> waiter == asker;
		}
		if (isOfShortLease(asker, cause)) {
			return (waiter) -> waiter == asker || waiter.waited(now).toNanos() >= Commands.LONGEST_NANOS;
		}
		// What fails for one would fail for all: nobody is made to wait for a timeout of
		// its own.
		return (waiter) -> true;
	}

	/** Whether another request might have got an answer. */
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

	/** Refuses requests because the registry closes. */
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

	/** Settle a request that was taken out of the queue. */
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
	 * What to tell somebody who stands in the queue and whose wait is over, if the
	 * backend does not answer.
	 */
	private @Nullable LockBackendException outageOf(Waiter waiter, Moment now) {
		Outage current = this.outage;
		return (current != null && waiter.isQueued() && !waiter.waitTime().isZero()) ? current.failureOf(waiter, now)
				: null;
	}

	/**
	 * Who holds the lock, and stands in the way of a request, as far as is known here.
	 */
	@Nullable Holder holder(Waiter waiter, Moment now) {
		Holder here = this.grants.holder(now);
		boolean asksHow = waiter.mode() == HoldMode.PERMIT && this.conversation.exclusive() == null;
		return (here == null || (asksHow && this.lastHolder != null)) ? lastHolder(now) : here;
	}

	/** The holder elsewhere, aged by the time since the refusal that described it. */
	private @Nullable Holder lastHolder(Moment now) {
		Holder seen = this.lastHolder;
		Moment at = this.lastHolderSeen;
		return (seen != null && at != null) ? seen.after(Duration.ofNanos(at.elapsedNanos(now))) : seen;
	}

}
