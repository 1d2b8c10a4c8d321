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
 * The place of one name in this JVM: the monitor around its {@link LockMachine}. Each
 * event takes a step of the machine under the monitor, at one moment. What follows from
 * it is carried out after the monitor was left.
 */
public final class LocalLock {

	private static final CompletableFuture<Runnable> NOTHING_TO_TELL = CompletableFuture.completedFuture(() -> {
	});

	private final LockServices services;

	private final String name;

	private final LockTable table;

	private final LockMachine machine;

	private final EffectRunner runner;

	/**
	 * Make a place for a name.
	 * @param table where it is found by its name
	 */
	LocalLock(LockServices services, String name, LockTable table) {
		this.services = services;
		this.name = name;
		this.table = table;
		this.machine = new LockMachine(this, services.terms().get(), services.tenureIds());
		this.runner = new EffectRunner(this, services);
	}

	/** Returns the name of the lock. */
	String name() {
		return this.name;
	}

	/** Returns the present moment, by the clocks that leases go by. */
	Moment now() {
		return Moment.now(this.services.commands().wallClock());
	}

	/**
	 * Let a request enter: re-enter, overtake, or join the queue.
	 * @return {@code false} if this place was given up meanwhile, and a new one is needed
	 */
	boolean enter(Waiter waiter) {
		return step(waiter, (now) -> {
			// Its thread may have left them to their handles.
			for (HoldMode mode : HoldMode.values()) {
				ownHold(waiter.owner(), mode);
			}
			return this.machine.request(waiter, objection(waiter), now);
		});
	}

	/** What is known beforehand to make the request fail. */
	private @Nullable LockException objection(Waiter waiter) {
		return this.table.isClosed() ? new LockRegistryClosedException(waiter.request()) : this.services.commands()
			.objection(this.name, waiter.request().type(), waiter.permits(), waiter.lease());
	}

	/**
	 * Take a request out of the queue.
	 * @return {@code false} if it has been settled already
	 */
	boolean withdraw(Waiter waiter) {
		return step(null, (now) -> this.machine.withdraw(waiter, now));
	}

	/** End the wait of a request, at once or with the answer under way. */
	void expire(Waiter waiter) {
		step((now) -> this.machine.expire(waiter, now));
	}

	/**
	 * A waiter that was signalled takes the lock that is on offer.
	 * @return after how many nanoseconds to look again if no signal comes
	 */
	long takeOffer(Waiter waiter) {
		return step(null, (now) -> this.machine.takeOffer(waiter, now));
	}

	/**
	 * Undoes one entry of a hold, and with the outermost hands the lock over or releases
	 * it.
	 * @param outlived what the entry was told if it outlives its thread
	 * @return completes when the release has completed, with what is then to be told of
	 * it; exceptionally with {@link io.lockstarter.core.LockLostException} if the hold
	 * was lost, or the backend did not know the tenure any more
	 * @throws io.lockstarter.core.LockNotHeldException if it was released before
	 */
	public CompletableFuture<Runnable> release(Hold released, @Nullable BooleanSupplier outlived) {
		return step(null, (now) -> switch (this.machine.unlock(released, outlived, now)) {
			case LOST -> CompletableFuture.failedFuture(released.goneAtRelease(now));
			case STILL_HELD -> NOTHING_TO_TELL;
			case RELEASED -> tellOf(released, now);
			case RELEASING -> released.ending();
		});
	}

	private CompletableFuture<Runnable> tellOf(Hold released, Moment now) {
		if (!this.runner.isHeardOf(released)) {
			return NOTHING_TO_TELL;
		}
		Duration heldFor = released.heldFor(now);
		return CompletableFuture.completedFuture(() -> this.runner.tellOfRelease(released, heldFor));
	}

	/**
	 * Makes the lease last longer.
	 * @throws io.lockstarter.core.LockLostException if the hold was lost
	 * @throws io.lockstarter.core.LockNotHeldException if it was released before
	 */
	public CompletableFuture<?> extend(Hold hold, Duration lease) {
		Lease.requireUsable("The lease of lock '" + OneLine.of(this.name) + "'", lease);
		if (!hold.isValid()) {
			// The lease may have ended before the timer has noticed it.
			loseExpired();
		}
		Tenure tenure = hold.isHeld() ? tenureOf(hold) : null;
		if (tenure == null) {
			throw hold.gone();
		}
		return tenure.keeper(this.services).extend(hold, lease);
	}

	public synchronized @Nullable Tenure tenureOf(Hold hold) {
		return this.machine.tenureOf(hold);
	}

	/** Runs something while nothing of this lock changes. */
	synchronized void whileUnchanged(Runnable action) {
		action.run();
	}

	/** One entry of a hold does not end with the thread that has made it. */
	public synchronized void outliveThread(Hold hold, BooleanSupplier again) {
		hold.outliveThread(again);
	}

	/**
	 * Takes the reply to an acquire request, or its failure.
	 * @param start the moment before it was sent, or {@code null} if it was not
	 */
	void answered(Effect.SendAcquire question, @Nullable Moment start, LockBackend.@Nullable AcquireReply answer,
			@Nullable Throwable failure) {
		if (answer instanceof LockBackend.Refused refused && refused.differing() != null) {
			this.services.listeners()
				.differingPermits(question.asker().request(), question.command().holder(), refused.differing());
		}
		step((now) -> {
			if (start != null && answer != null) {
				this.machine.answered(question, answer, start, now);
			}
			else {
				this.machine.failed(start != null,
						this.services.commands().explain(this.name, Objects.requireNonNull(failure)), now);
			}
		});
	}

	/** Takes the reply to a release, or its failure. */
	void released(Effect.SendRelease release, Moment start, Release.@Nullable Reply reply,
			@Nullable Throwable failure) {
		step((now) -> this.machine.released(release, reply,
				(failure != null) ? this.services.commands().explain(this.name, failure) : null, start, now));
	}

	/** Asks again to let others in beside the one who wrote. */
	void downgradeAgain(Tenure written) {
		step((now) -> this.machine.downgradeAgain(written, now));
	}

	/** The lock was granted while this JVM waited for it. */
	void granted(LockBackend.DirectGrant offer) {
		step((now) -> this.machine.granted(offer, now));
	}

	/** The lock may be free. */
	void wake() {
		step(this.machine::woken);
	}

	/** Sends the request again although no wake-up has come. */
	void recheck() {
		step(this.machine::recheck);
	}

	/** This client was taken out of the waiters: whoever waits here must ask again. */
	void withdrawn() {
		step(this.machine::withdrawn);
	}

	/** Another client waits for the lock. */
	void contended() {
		step(this.machine::contended);
	}

	/** Gives this place up, because nothing is left of the name here. */
	void retired() {
		this.table.retire(this);
	}

	/** Declare those tenures lost whose lease has run out. */
	public void loseExpired() {
		step(this.machine::tick);
	}

	/** Declare a tenure lost, unless it ended otherwise. */
	public void lose(Tenure lost, LockLoss.Reason reason) {
		step((now) -> this.machine.ended(lost, reason, now));
	}

	/** Declare a single hold lost, while the tenure goes on for others. */
	void lose(Hold lost, LockLoss.Reason reason) {
		step((now) -> this.machine.ended(lost, reason, now));
	}

	/** Refuses all requests: the registry closes. */
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
	 * Take a step under the monitor, and then do what follows from it.
	 * @param entering the request that comes with the step, or {@code null}
	 */
	private <T> T step(@Nullable Waiter entering, Function<Moment, T> event) {
		List<Effect> effects = List.of();
		try {
			synchronized (this) {
				try {
					this.machine
						.hears(this.machine.asksForHearing(entering) && this.services.commands().isSubscribed());
					return event.apply(now());
				}
				finally {
					effects = this.machine.takeEffects();
					this.runner.runAtOnce(effects);
				}
			}
		}
		finally {
			// If the step broke off, somebody waits for what it had decided.
			this.runner.run(effects);
		}
	}

	/**
	 * Somebody says that the lock was taken away, which is no reason to believe it: ask
	 * whether it is still held here.
	 */
	void saidToBeTakenAway() {
		tenures().forEach((tenure) -> {
			tenure.lease().saidToBeTakenAway(true);
			var question = new LockBackend.Renew(this.name, tenure.id(), tenure.count(), Duration.ZERO);
			Commands.answer(this.services.commands().renew(question, tenure.lease().time()), (verdict, failure) -> {
				if (verdict != null) {
					// An earlier question may have been answered otherwise meanwhile.
					tenure.lease().saidToBeTakenAway(!verdict.held());
				}
				if (verdict != null && !verdict.held()) {
					lose(tenure, LockLoss.Reason.NOT_OWNED);
				}
			});
		});
	}

	/** Leases may have ended, or be about to, before the time that was reckoned with. */
	public void renewNow() {
		tenures().forEach((tenure) -> tenure.keeper(this.services).renewNow());
	}

	private synchronized List<Tenure> tenures() {
		return this.machine.tenures();
	}

	/** The hold that a request of an owner would go on with, if there is one. */
	public synchronized @Nullable Hold holdOf(LockOwner owner, HoldMode wanted) {
		for (HoldMode mode : wanted.servedBy()) {
			Hold found = ownHold(owner, mode);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private @Nullable Hold ownHold(LockOwner owner, HoldMode mode) {
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

	/** The requests that wait while this JVM has the lock, of which no other knows. */
	public synchronized List<LockMonitor.Waiting> waitingUnseen() {
		List<LockMonitor.Waiting> unseen = new ArrayList<>();
		if (this.machine.hasItAlone()) {
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

	/** Returns whether work goes on under the lock in a hold that is meant. */
	synchronized boolean isAtWork(Predicate<Hold> meant) {
		return this.machine.tenures().stream().anyMatch((tenure) -> tenure.isAtWork(meant));
	}

	/** Returns whether no work goes on under the lock any more, which is only kept. */
	synchronized boolean isLeft(Predicate<Hold> meant) {
		return !this.machine.tenures().isEmpty() && !isAtWork(meant);
	}

	public synchronized List<Hold> holds() {
		return this.machine.holds();
	}

	/** The tenures that are only kept. */
	public synchronized List<Tenure> left() {
		return this.machine.tenures().stream().filter(Tenure::isLeft).toList();
	}

	public synchronized int waiting() {
		return this.machine.waiting();
	}

}
