package io.lockstarter.engine;

import java.util.Objects;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
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
		effects.add(() -> this.engine.commands()
			.acquire(command, head.waitTime(),
					(start, answer, failure) -> answered(command, head, start, answer, failure)));
		int underWay = this.standing.underWay();
		effects.add(() -> head.answerComes(underWay));
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
				failed(command, start != null, Objects.requireNonNull(failure), effects);
			}
			else if (answer instanceof LockBackend.Granted granted) {
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

	/**
	 * What fails for one would fail for all: nobody is made to wait for a timeout of his
	 * own.
	 */
	private void failed(LockBackend.Acquire command, boolean sent, Throwable failure, Effects effects) {
		LockBackendException cause = Commands.translate(this.lock.name(), failure);
		if (sent && (cause.mayHaveRun() || this.standing.wasWoken())) {
			effects.add(() -> this.engine.commands().settle(this.lock.name(), command.tenure(), command.lease()));
		}
		this.lock.failAll(cause, effects);
	}

	private void refused(LockBackend.Acquire command, Waiter asker, Moment start, LockBackend.Refused refused,
			Effects effects) {
		this.lastHolder = refused.holder();
		// Behind one who goes on waiting nobody gets in, but a reader beside a reader.
		// After one who does not, those who ask for something else have a question of
		// their own, and those who came while this one was under way: the lock may be
		// free by now.
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
		this.standing.granted();
		this.lock.granted(granted, effects);
	}

}
