package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import org.jspecify.annotations.Nullable;

/**
 * How holds of a lock end, with their tenures: released, given back unused, or lost. Its
 * state changes under the monitor of the {@link LocalLock}.
 */
final class Endings {

	private static final CompletableFuture<Runnable> NOTHING_TO_TELL = CompletableFuture.completedFuture(() -> {
	});

	private static final long DOWNGRADE_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private final LocalLock lock;

	private final Engine engine;

	private final WaitQueue queue;

	private final Possession possession;

	private final Standing standing;

	private final Grants grants;

	Endings(LocalLock lock, WaitQueue queue, Possession possession, Standing standing, Grants grants) {
		this.lock = lock;
		this.engine = lock.engine();
		this.queue = queue;
		this.possession = possession;
		this.standing = standing;
		this.grants = grants;
	}

	/**
	 * Undo one entry of a hold, and with the outermost hand the lock on or release it.
	 * @param outlived what the entry was told if it outlives its thread
	 * @return completes when the release is settled, with what is then to be told of it;
	 * or exceptionally with {@link io.lockstarter.core.LockLostException} if the backend
	 * did not know the tenure any more
	 * @throws LockNotHeldException if it was released before
	 */
	CompletableFuture<Runnable> release(Hold released, @Nullable BooleanSupplier outlived, Effects effects) {
		if (released.isHeld() && !released.isValid(effects.now())) {
			lose(released.tenure(), released.tenure().reasonOfExpiry(), effects);
			this.lock.proceed(effects);
		}
		boolean lost = released.isLost();
		boolean outermost = released.leave(outlived);
		if (lost) {
			if (outermost) {
				forgetLost(released, effects);
			}
			return CompletableFuture.failedFuture(released.gone());
		}
		if (outermost) {
			return end(released, effects);
		}
		released.tenure().countWriter().countChanged();
		return NOTHING_TO_TELL;
	}

	private void forgetLost(Hold lost, Effects effects) {
		Tenure tenure = lost.tenure();
		if (tenure.hasEnded()) {
			// Perhaps the lease was renewed after it had been given up here.
			effects.add(() -> this.engine.commands().settle(tenure.name(), tenure.id(), tenure.longestRest()));
		}
		this.engine.forgetLoss(lost);
	}

	private CompletableFuture<Runnable> end(Hold ended, Effects effects) {
		ended.released();
		Tenure current = ended.tenure();
		current.endHold(ended);
		current.countWriter().countChanged();
		if (!current.isUnheld()) {
			if (!current.isShared() && current.hold() == null) {
				downgrade(current, effects);
			}
		}
		else if (current.isShared() || !this.engine.settings().handsOver() || !this.grants.offer(effects)) {
			Settlement settlement = new Settlement(this.engine, ended, effects.now());
			conclude(current, effects, settlement::answered);
			return settlement.done();
		}
		if (!this.engine.listeners().hearOf(ended)) {
			return NOTHING_TO_TELL;
		}
		Duration heldFor = ended.heldFor(effects.now());
		return CompletableFuture.completedFuture(() -> this.engine.listeners().released(ended, heldFor));
	}

	/** Let other readers in: the one who wrote only reads on. */
	private void downgrade(Tenure written, Effects effects) {
		written.beginDowngrade();
		Release command = new Release(written.name(), written.id(), Release.Intent.DOWNGRADE, null);
		effects.add(() -> this.engine.commands()
			.release(command, written.leaseTime(),
					(reply, failure) -> this.lock.change((later) -> downgraded(written, reply, later))));
	}

	private void downgraded(Tenure written, Release.@Nullable Reply reply, Effects effects) {
		if (this.possession.exclusive() != written) {
			// It has ended meanwhile.
			return;
		}
		if (reply == null) {
			// Too much is excluded until it succeeds, never too little.
			this.lock.refuseImpatient((waiter) -> true, effects);
			this.engine.timer()
				.in(DOWNGRADE_RETRY_NANOS, () -> this.lock.change((later) -> downgradeAgain(written, later)));
		}
		else if (reply.outcome() == Release.Outcome.NOT_HELD) {
			boolean forgotten = written.isValid(effects.now());
			lose(written, forgotten ? LockLoss.Reason.NOT_OWNED : written.reasonOfExpiry(), effects);
		}
		else {
			this.possession.downgrade(written);
		}
		this.lock.proceed(effects);
	}

	private void downgradeAgain(Tenure written, Effects effects) {
		if (this.possession.exclusive() == written) {
			downgrade(written, effects);
		}
	}

	/** Release a tenure that nobody holds. */
	void giveBack(Tenure unused, Effects effects) {
		conclude(unused, effects, (reply, failure) -> {
			if (failure != null) {
				this.engine.commands().settle(unused.name(), unused.id(), unused.longestRest());
			}
		});
	}

	/** End a tenure in the backend. */
	private void conclude(Tenure ending, Effects effects,
			BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		ending.end();
		Release command = ending.isShared() ? concludeShare(ending) : concludeExclusive(ending);
		Moment start = Moment.now();
		effects.add(() -> this.engine.commands().release(command, ending.leaseTime(), (reply, failure) -> {
			this.lock.change((later) -> {
				this.standing.tell(command, () -> then.accept(reply, failure), later);
				concluded(command, start, reply, later);
			});
		}));
		if (command.intent() == Release.Intent.RETURN && this.standing.isIdle()) {
			// The next question goes along with the release.
			this.lock.proceed(effects);
		}
		effects.add(ending.watch()::schedule);
	}

	private Release concludeShare(Tenure ending) {
		this.possession.leave(ending);
		return new Release(ending.name(), ending.id(), Release.Intent.STAY, null);
	}

	private Release concludeExclusive(Tenure ending) {
		this.possession.remove(ending);
		return this.standing.release(ending, this.queue, this.engine);
	}

	private void concluded(Release command, Moment start, Release.@Nullable Reply reply, Effects effects) {
		if (command.intent() == Release.Intent.STAY) {
			this.possession.left();
		}
		else {
			if (reply == null && command.next() != null && this.standing.wasWoken()) {
				// It may have been granted by then, to be told by the reply that is lost.
				Acquire next = command.next();
				effects.add(() -> this.engine.commands().settle(next.name(), next.tenure(), next.lease()));
			}
			this.standing.released(command, start, reply, !this.queue.isEmpty());
		}
		this.lock.proceed(effects);
	}

	/** Declare the tenures lost whose lease has run out. */
	void loseExpired(Effects effects) {
		for (Tenure expired : this.possession.expired(effects.now())) {
			lose(expired, expired.reasonOfExpiry(), effects);
		}
	}

	/** Declare a tenure lost, unless it ended otherwise. */
	void lose(Tenure lost, LockLoss.Reason reason, Effects effects) {
		if (this.possession.remove(lost)) {
			lost.end();
			effects.add(lost.watch()::schedule);
			lost.holds().forEach((hold) -> declareLost(hold, reason, effects));
		}
	}

	/** Declare a single hold lost, while the tenure goes on for others. */
	void lose(Hold lost, LockLoss.Reason reason, Effects effects) {
		if (!lost.isHeld()) {
			return;
		}
		Tenure current = lost.tenure();
		current.endHold(lost);
		declareLost(lost, reason, effects);
		if (current.isShared() && current.isUnheld()) {
			// The others have been released meanwhile.
			giveBack(current, effects);
		}
	}

	private void declareLost(Hold lost, LockLoss.Reason reason, Effects effects) {
		LockLoss loss = lost.lose(reason);
		this.engine.remember(lost);
		// Under the monitor: the owner cannot have gone on to other work yet.
		this.engine.interrupt(lost);
		effects.add(() -> this.engine.listeners().lost(lost, loss));
	}

}
