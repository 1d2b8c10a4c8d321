package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Lock of one name in this JVM, which guards its {@link LockMachine} by a monitor. Each
 * event is one step of the machine under the monitor, at one moment. The effects of the
 * step run after the monitor is released.
 */
public final class LocalLock {

	private static final CompletableFuture<Runnable> NO_NOTIFICATION = CompletableFuture.completedFuture(() -> {
	});

	private final EngineContext context;

	private final String name;

	private final LockTable table;

	private final LockMachine machine;

	private final EffectRunner runner;

	/**
	 * Creates a lock.
	 * @param table the table that contains the lock under its name
	 */
	LocalLock(EngineContext context, String name, LockTable table) {
		this.context = context;
		this.name = name;
		this.table = table;
		this.machine = new LockMachine(this, context.settings().get(), context.tenureIds());
		this.runner = new EffectRunner(this, context);
	}

	/** Returns the name of the lock. */
	String name() {
		return this.name;
	}

	/** Returns the current moment by the clocks that measure leases. */
	Moment now() {
		return Moment.now(this.context.commands().wallClock());
	}

	/**
	 * Handles a new request: re-enters, barges, or joins the queue.
	 * @return {@code false} if this lock has been retired, and a new one is needed
	 */
	boolean enter(Waiter waiter) {
		return step(waiter, (now) -> {
			// The owner's thread may have detached these holds.
			for (Exclusivity mode : Exclusivity.values()) {
				ownHold(waiter.owner(), mode);
			}
			return this.machine.request(waiter, objection(waiter), now);
		});
	}

	/** Returns why the request cannot be granted, or {@code null} if it can. */
	private @Nullable LockException objection(Waiter waiter) {
		return this.table.isClosed() ? new LockRegistryClosedException(waiter.request()) : this.context.commands()
			.objection(this.name, waiter.request().type(), waiter.permits(), waiter.lease());
	}

	/**
	 * Withdraws a request from the queue.
	 * @return {@code false} if the request has already completed
	 */
	boolean withdraw(Waiter waiter) {
		return step(null, (now) -> this.machine.withdraw(waiter, now));
	}

	/** Ends the wait of a request, at once or with the reply in flight. */
	void expire(Waiter waiter) {
		step((now) -> this.machine.expire(waiter, now));
	}

	/**
	 * Grants an unheld lock to a waiter that was signalled.
	 * @return the time until the next check without a signal, in nanoseconds
	 */
	long takeOffer(Waiter waiter) {
		return step(null, (now) -> this.machine.takeOffer(waiter, now));
	}

	/**
	 * Releases one entry of a hold. With the outermost entry, hands the lock over or
	 * releases it.
	 * @param reentry the re-entry condition of the entry if it is detached from its
	 * thread
	 * @return completes with the release, and supplies the notification of listeners;
	 * exceptionally with {@link io.lockstarter.core.LockLostException} if the hold was
	 * lost, or the backend did not know the tenure
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was already released
	 */
	public CompletableFuture<Runnable> release(Hold released, @Nullable BooleanSupplier reentry) {
		return step(null, (now) -> switch (this.machine.unlock(released, reentry, now)) {
			case LOST -> CompletableFuture.failedFuture(released.goneAtRelease(now));
			case STILL_HELD -> NO_NOTIFICATION;
			case RELEASED -> notificationOf(released, now);
			case RELEASING -> released.ending();
		});
	}

	private CompletableFuture<Runnable> notificationOf(Hold released, Moment now) {
		if (!this.runner.isObserved(released)) {
			return NO_NOTIFICATION;
		}
		Duration heldFor = released.heldFor(now);
		return CompletableFuture.completedFuture(() -> this.runner.notifyOfRelease(released, heldFor));
	}

	/**
	 * Extends the lease of a hold.
	 * @throws io.lockstarter.core.LockLostException if the hold was lost
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was already released
	 */
	public CompletableFuture<?> extend(Hold hold, Duration lease) {
		Lease.requireUsable("The lease of lock '" + OneLine.of(this.name) + "'", lease);
		if (!hold.isValid()) {
			// The lease may have expired before the timer detects it.
			loseExpired();
		}
		Tenure tenure = hold.isHeld() ? tenureOf(hold) : null;
		if (tenure == null) {
			throw hold.gone();
		}
		return tenure.watchdog(this.context).extend(hold, lease);
	}

	public synchronized @Nullable Tenure tenureOf(Hold hold) {
		return this.machine.tenureOf(hold);
	}

	/** Runs an action while this lock does not change. */
	synchronized void whileUnchanged(Runnable action) {
		action.run();
	}

	/** Detaches one entry of a hold from the thread that has made it. */
	public synchronized void detach(Hold hold, BooleanSupplier again) {
		hold.detach(again);
	}

	/**
	 * Handles the reply to an acquire request, or its failure.
	 * @param start the moment before the request was sent, or {@code null} if it was not
	 * sent
	 */
	void replied(Effect.SendAcquire request, @Nullable Moment start, LockBackend.@Nullable AcquireReply reply,
			@Nullable Throwable failure) {
		if (reply instanceof LockBackend.Refused refused && refused.differing() != null) {
			this.context.listeners()
				.differingPermits(request.requester().request(), request.command().holder(), refused.differing());
		}
		step((now) -> {
			if (start != null && reply != null) {
				this.machine.replied(request, reply, start, now);
			}
			else {
				this.machine.failed(start != null,
						this.context.commands().explain(request.command(), Objects.requireNonNull(failure)), now);
			}
		});
	}

	/** Handles the reply to a release, or its failure. */
	void released(Effect.SendRelease release, Moment start, Release.@Nullable Reply reply,
			@Nullable Throwable failure) {
		step((now) -> this.machine.released(release, reply,
				(failure != null) ? this.context.commands().explain(this.name, failure) : null, start, now));
	}

	/** Repeats the downgrade of a writer who continues as a reader. */
	void downgradeAgain(Tenure written) {
		step((now) -> this.machine.downgradeAgain(written, now));
	}

	/** Handles a grant by message. */
	void granted(LockBackend.DirectGrant offer) {
		step((now) -> this.machine.granted(offer, now));
	}

	/** Handles a wake-up, after which the lock may be free. */
	void wake() {
		step(this.machine::woken);
	}

	/** Repeats the acquire request without a wake-up. */
	void recheck() {
		step(this.machine::recheck);
	}

	/**
	 * Handles the removal of this client from the waiters, after which waiting requests
	 * must be sent again.
	 */
	void withdrawn() {
		step(this.machine::withdrawn);
	}

	/** Handles the message that another client waits for the lock. */
	void contended() {
		step(this.machine::contended);
	}

	/** Removes this lock from the table, because nothing is left of it in this JVM. */
	void retired() {
		this.table.retire(this);
	}

	/** Declares the tenures lost whose lease has expired. */
	public void loseExpired() {
		step(this.machine::tick);
	}

	/** Declares a tenure lost, unless it has already ended. */
	public void lose(Tenure lost, LockLoss.Reason reason) {
		step((now) -> this.machine.ended(lost, reason, now));
	}

	/** Declares a single hold lost, while its tenure continues for other holds. */
	void lose(Hold lost, LockLoss.Reason reason) {
		step((now) -> this.machine.ended(lost, reason, now));
	}

	/** Refuses all requests, because the registry is closing. */
	void close() {
		step((now) -> this.machine.close((waiter) -> true, now));
	}

	/** Refuses requests that wait for others to release the lock. */
	void refuseWaiting(Predicate<Waiter> meant) {
		step((now) -> this.machine.close((waiter) -> waiter.isQueued() && meant.test(waiter), now));
	}

	private void step(Consumer<Moment> event) {
		step(null, (now) -> {
			event.accept(now);
			return true;
		});
	}

	/**
	 * Takes a step under the monitor, and then runs its effects.
	 * @param entering the request that arrives with the step, or {@code null}
	 */
	private <T> T step(@Nullable Waiter entering, Function<Moment, T> event) {
		List<Effect> effects = List.of();
		try {
			synchronized (this) {
				try {
					// The second condition would open a subscription that nothing needs.
					this.machine
						.subscribed(this.machine.needsSubscription(entering) && this.context.commands().isSubscribed());
					return event.apply(now());
				}
				finally {
					effects = this.machine.takeEffects();
					this.runner.runUnderMonitor(effects);
				}
			}
		}
		finally {
			// Callers wait for the effects even if the step failed.
			this.runner.runLater(effects);
		}
	}

	/**
	 * Handles an unverified message that reports a forced release. Checks with the
	 * backend whether this JVM still holds the lock.
	 */
	void verifyForceRelease() {
		tenures().forEach((tenure) -> {
			tenure.lease().forceReleaseReported(true);
			var request = new LockBackend.Renew(this.name, tenure.id(), tenure.count(), Duration.ZERO);
			Commands.onReply(this.context.commands().renew(request, tenure.lease().time()), (verdict, failure) -> {
				if (verdict != null) {
					// The reply to an earlier renewal may have differed.
					tenure.lease().forceReleaseReported(!verdict.held());
				}
				if (verdict != null && !verdict.held()) {
					lose(tenure, LockLoss.Reason.NOT_OWNED);
				}
			});
		});
	}

	/** Renews the leases at once, because they may expire sooner than scheduled. */
	public void renewNow() {
		tenures().forEach((tenure) -> tenure.watchdog(this.context).renewNow());
	}

	private synchronized List<Tenure> tenures() {
		return this.machine.tenures();
	}

	/** Returns the hold that a request of the owner would re-enter, or {@code null}. */
	public synchronized @Nullable Hold holdOf(LockOwner owner, Exclusivity requested) {
		for (Exclusivity mode : requested.servedBy()) {
			Hold found = ownHold(owner, mode);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private @Nullable Hold ownHold(LockOwner owner, Exclusivity mode) {
		Hold found = this.machine.holdOf(owner, mode);
		if (found != null && found.isLeftByThread()) {
			Objects.requireNonNull(this.machine.tenureOf(found)).holds().disown(found);
			return null;
		}
		return found;
	}

	public synchronized void describe(Consumer<LockMonitor.Held> held, Consumer<LockMonitor.Waiting> waiting) {
		this.machine.holds().forEach((hold) -> held.accept(hold.snapshot()));
		describeWaiting(waiting);
	}

	/**
	 * Returns the requests that wait while this JVM has the lock exclusively, which no
	 * other instance knows.
	 */
	public synchronized List<LockMonitor.Waiting> waitingUnseen() {
		List<LockMonitor.Waiting> unseen = new ArrayList<>();
		if (this.machine.holdsExclusively()) {
			describeWaiting(unseen::add);
		}
		return unseen;
	}

	private void describeWaiting(Consumer<LockMonitor.Waiting> waiting) {
		int position = 1;
		for (Waiter waiter : this.machine.waiters()) {
			waiting.accept(new LockMonitor.Waiting(this.name, waiter.request().metricName(), waiter.request().type(),
					waiter.owner(), waiter.seenSince(), position++, waiter.permits(), waiter.waited()));
		}
	}

	public synchronized int held() {
		return this.machine.holds().size();
	}

	/** Returns whether work runs in one of the holds that a filter selects. */
	synchronized boolean isAtWork(Predicate<Hold> meant) {
		return this.machine.tenures().stream().anyMatch((tenure) -> tenure.isAtWork(meant));
	}

	/**
	 * Returns whether the lock is held, but no work runs in a hold that a filter selects.
	 */
	synchronized boolean isLeft(Predicate<Hold> meant) {
		return !this.machine.tenures().isEmpty() && !isAtWork(meant);
	}

	public synchronized List<Hold> holds() {
		return this.machine.holds();
	}

	/** Returns the tenures that are only held until a minimum time has passed. */
	public synchronized List<Tenure> left() {
		return this.machine.tenures().stream().filter(Tenure::isLeft).toList();
	}

	public synchronized int waiting() {
		return this.machine.waiting();
	}

}
