package io.lockstarter.engine;

import java.util.Objects;
import java.util.function.Predicate;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Asks the backend for a lock on behalf of the head of the queue. Its state changes under
 * the monitor of the {@link LocalLock}.
 */
final class Applicant {

	private final LocalLock lock;

	private final Engine engine;

	private final WaitQueue queue;

	private final Possession possession;

	private final Standing standing;

	private boolean wanted;

	private @Nullable Holder lastHolder;

	private long askedAt;

	private @Nullable Outage outage;

	Applicant(LocalLock lock, WaitQueue queue, Possession possession, Standing standing) {
		this.lock = lock;
		this.engine = lock.engine();
		this.queue = queue;
		this.possession = possession;
		this.standing = standing;
	}

	/** Who held the lock elsewhere when it was last refused. */
	@Nullable Holder lastHolder() {
		return this.lastHolder;
	}

	/**
	 * What to tell somebody who stands in the queue and whose wait is over, if the
	 * backend does not answer.
	 */
	@Nullable LockBackendException outage(Waiter waiter) {
		Outage current = this.outage;
		return (current != null && waiter.isQueued() && !waiter.waitTime().isZero()) ? current.failureOf(waiter) : null;
	}

	/** Another client waits for the lock. */
	void wanted() {
		this.wanted = true;
	}

	void ask(Effects effects) {
		Waiter head = Objects.requireNonNull(this.queue.head());
		TenureId useless = this.standing.giveUpFor(head);
		if (useless != null) {
			effects.add(() -> this.engine.passOn(this.lock.name(), useless));
		}
		LockBackend.Acquire command = this.standing.ask(head, this.engine, this.queue.anyoneWaits());
		this.wanted = false;
		this.askedAt = System.nanoTime();
		effects.add(() -> this.engine.commands()
			.acquire(command, head.waitTime(),
					(start, answer, failure) -> answered(command, head, start, answer, failure)));
	}

	private void answered(LockBackend.Acquire command, Waiter asker, @Nullable Moment start,
			LockBackend.@Nullable Acquisition answer, @Nullable Throwable failure) {
		if (answer instanceof LockBackend.Granted && asker.canClaim()) {
			// To wake a thread takes longer than what is left to do.
			asker.call();
		}
		this.lock.change((effects) -> {
			this.standing.answered();
			if (failure != null || start == null) {
				failed(command, asker, start != null, Objects.requireNonNull(failure), effects);
				this.lock.proceed(effects);
				this.standing.tellPostponed(effects);
				return;
			}
			endOutage();
			if (answer instanceof LockBackend.Granted granted) {
				Lease lease = Lease.of(start, command.lease());
				granted(tenure(command, granted.base(), asker.isRenewed(), lease, granted.wanted()), effects);
			}
			else if (answer instanceof LockBackend.Refused refused) {
				refused(command, asker, start, refused, effects);
			}
			else {
				this.standing.cancelled();
			}
			this.lock.proceed(effects);
			this.standing.tellPostponed(effects);
		});
	}

	private Tenure tenure(LockBackend.Acquire command, long base, boolean renewed, Lease lease,
			boolean wantedElsewhere) {
		Demand demand = new Demand(this.engine.settings().handoverLimit());
		if (wantedElsewhere || this.wanted) {
			demand.wanted();
		}
		return new Tenure(this.lock, command, base, renewed, lease, demand, this.engine.watchdog());
	}

	private void endOutage() {
		this.outage = null;
		this.standing.endPauses();
	}

	private void failed(LockBackend.Acquire command, Waiter asker, boolean sent, Throwable failure, Effects effects) {
		LockBackendException cause = Commands.translate(this.lock.name(), failure);
		boolean outlast = this.queue.isStanding() && Outage.mayBe(cause);
		if (sent && (cause.mayHaveRun() || (!outlast && this.standing.wasWoken()))) {
			this.standing.ending(command.tenure());
			effects.add(() -> this.engine.commands().settle(this.lock.name(), command.tenure(), command.lease()));
		}
		if (outlast) {
			outlast(asker, cause, effects);
			return;
		}
		endOutage();
		if (cause.reason() == Reason.NOT_SUPPORTED) {
			fail((waiter) -> waiter == asker, cause, effects);
		}
		else if (isOfShortLease(asker, cause)) {
			fail((waiter) -> waiter == asker || waiter.waited().toNanos() >= Commands.LONGEST_NANOS, cause, effects);
		}
		else {
			// What fails for one would fail for all: nobody is made to wait for a timeout
			// of his own.
			this.lock.failAll(cause, effects);
		}
	}

	/** Whether another one might have got an answer. */
	private static boolean isOfShortLease(Waiter asker, LockBackendException cause) {
		return cause.reason() == Reason.TIMEOUT && asker.timeoutNanos() < Commands.LONGEST_NANOS;
	}

	private void fail(Predicate<Waiter> meant, LockBackendException cause, Effects effects) {
		for (Waiter waiter : this.queue.all()) {
			if (meant.test(waiter)) {
				this.queue.remove(waiter);
				effects.add(() -> waiter.failed(cause));
			}
		}
	}

	/** Ask again later for those who stand in the queue. */
	private void outlast(Waiter asker, LockBackendException cause, Effects effects) {
		Outage current = this.outage;
		if (current == null) {
			this.outage = new Outage(this.askedAt, cause);
		}
		else {
			current.goesOn(cause);
		}
		for (Waiter waiter : this.queue.removeImpatient((waiter) -> true)) {
			LockBackendException told = outage(waiter);
			effects.add(() -> waiter.failed((told != null) ? told : cause));
		}
		if (isOfShortLease(asker, cause)) {
			// It would be in the way of those who may get an answer.
			this.queue.letPass(asker);
		}
		this.standing.pause();
	}

	private void refused(LockBackend.Acquire command, Waiter asker, Moment start, LockBackend.Refused refused,
			Effects effects) {
		this.lastHolder = refused.holder();
		// Behind one who goes on waiting nobody gets in, but a reader beside a reader.
		// After one who does not, those who ask for something else have a question of
		// their own, and those who came while this one was under way: the lock may be
		// free by now.
		if (command.waits()) {
			this.queue.stand();
		}
		boolean asksOn = asker.waits() && this.queue.contains(asker);
		long answers = this.standing.answers();
		this.lock.refuseImpatient((waiter) -> (asksOn && !(asker.isShared() && waiter.isShared()))
				|| (asker.asksLike(waiter) && waiter.wasAnswered(answers)), effects);
		this.standing.refused(command, start, refused, !this.queue.isEmpty());
	}

	/**
	 * The lock was granted while this JVM waited for it.
	 * @return {@code false} if it does not wait with that tenure any more
	 */
	boolean offered(LockBackend.Offer offer, Effects effects) {
		if (this.standing.isRegistering(offer.tenure())) {
			// Quicker than the answer, which grants it too or makes this JVM wait: then
			// it is asked for after that.
			this.standing.wake();
			return true;
		}
		if (!this.standing.isRegisteredWith(offer.tenure())) {
			return this.possession.has(offer.tenure());
		}
		Lease lease = this.standing.leaseOf(offer);
		LockBackend.Acquire command = (lease != null) ? this.standing.take() : null;
		if (lease != null && command != null) {
			granted(tenure(command, offer.base(), true, lease, offer.wanted()), effects);
			this.lock.proceed(effects);
		}
		else if (this.standing.wake()) {
			ask(effects);
		}
		return true;
	}

	private void granted(Tenure granted, Effects effects) {
		endOutage();
		this.standing.granted();
		this.queue.stand();
		this.lock.granted(granted, effects);
	}

}
