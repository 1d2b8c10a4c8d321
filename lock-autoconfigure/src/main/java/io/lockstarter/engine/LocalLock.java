package io.lockstarter.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The place of one name in this JVM: a queue whose head alone talks to the backend.
 * <p>
 * A grant belongs to the place, not to the request it was asked for: it goes to whoever
 * heads the queue when it arrives, and is given back when nobody does. So a request may
 * leave the queue at any instant without leaving anything behind.
 */
final class LocalLock {

	private static final long RECHECK_NANOS = Duration.ofSeconds(1).toNanos();

	/** How long after the end of the lease seen to ask again. */
	private static final long AFTER_EXPIRY_NANOS = Duration.ofMillis(1).toNanos();

	private final Engine engine;

	private final String name;

	private final Set<Waiter> queue = new LinkedHashSet<>();

	private State state = State.IDLE;

	private @Nullable Hold hold;

	private @Nullable Holder lastHolder;

	private long answers;

	/** How many in the queue do not wait when refused. */
	private int impatient;

	private OptionalLong place = OptionalLong.empty();

	private boolean woken;

	private Timer.@Nullable Task recheck;

	private boolean retired;

	LocalLock(Engine engine, String name) {
		this.engine = engine;
		this.name = name;
	}

	Engine engine() {
		return this.engine;
	}

	/**
	 * Let a request enter: re-enter, or join the queue.
	 * @return {@code false} if this place was given up meanwhile, and a new one is needed
	 */
	boolean enter(Waiter waiter) {
		return changing((effects) -> {
			if (this.retired) {
				return false;
			}
			waiter.joined(this, this.answers);
			Hold current = this.hold;
			if (current != null && current.owner().equals(waiter.owner()) && current.isValid()) {
				reenter(current, waiter, effects);
			}
			else if (this.engine.isClosed()) {
				effects.add(() -> waiter.result().completeExceptionally(new LockRegistryClosedException(this.name)));
				proceed(effects);
			}
			else {
				this.queue.add(waiter);
				this.impatient += waiter.waits() ? 0 : 1;
				proceed(effects);
			}
			return true;
		});
	}

	private void reenter(Hold current, Waiter waiter, Effects effects) {
		current.reenter();
		writeCount(current, effects);
		effects.add(() -> waiter.result().complete(new Handle(current, true)));
	}

	/**
	 * Take a request out of the queue.
	 * @return {@code false} if it has been settled already
	 */
	boolean withdraw(Waiter waiter) {
		return changing((effects) -> {
			if (!this.queue.remove(waiter)) {
				return false;
			}
			left(waiter);
			waiter.sawHolder(holder());
			proceed(effects);
			return true;
		});
	}

	/**
	 * End the wait of a request. One that has had no answer yet gets the one that is on
	 * its way: a free lock is taken however short the wait.
	 */
	void expire(Waiter waiter) {
		changing((effects) -> {
			if (!this.queue.contains(waiter) || !waiter.waits()) {
				return false;
			}
			if (this.state == State.ASKING && !waiter.wasAnswered(this.answers)) {
				waiter.tryLastTime();
				this.impatient++;
				return true;
			}
			this.queue.remove(waiter);
			waiter.sawHolder(holder());
			effects.add(() -> waiter.result().complete(null));
			proceed(effects);
			return true;
		});
	}

	/** The lock may be free. */
	void wake() {
		changing((effects) -> {
			this.woken = true;
			if (this.state == State.ASLEEP) {
				ask(effects);
			}
			return true;
		});
	}

	/** Refuse all who wait: the registry closes. */
	void close() {
		changing((effects) -> {
			failAll(new LockRegistryClosedException(this.name), effects);
			proceed(effects);
			return true;
		});
	}

	private void failAll(LockException cause, Effects effects) {
		for (Waiter waiter : this.queue) {
			effects.add(() -> waiter.result().completeExceptionally(cause));
		}
		this.queue.clear();
		this.impatient = 0;
	}

	private void left(Waiter waiter) {
		this.impatient -= waiter.waits() ? 0 : 1;
	}

	/** Whether somebody in the queue goes on waiting if refused. */
	private boolean anyoneWaits() {
		return this.queue.size() > this.impatient;
	}

	/** Do what the state calls for. */
	private void proceed(Effects effects) {
		if (this.state == State.HELD) {
			Hold current = Objects.requireNonNull(this.hold);
			if (current.isValid()) {
				refuseImpatient(effects);
				return;
			}
			lose(current, reasonOfExpiry(current), effects);
		}
		if (this.state == State.IDLE) {
			if (this.queue.isEmpty()) {
				retire(effects);
			}
			else {
				ask(effects);
			}
		}
		else if (this.state == State.ASLEEP) {
			if (this.queue.isEmpty()) {
				this.state = State.IDLE;
				retire(effects);
			}
			else if (this.impatient > 0) {
				ask(effects);
			}
		}
	}

	private void retire(Effects effects) {
		stopRecheck();
		this.retired = true;
		this.engine.forget(this.name, this);
		if (this.place.isPresent()) {
			this.place = OptionalLong.empty();
			// Takes this client out of the waiters and hands a wake-up on that it no
			// longer needs.
			effects.add(() -> this.engine.passOn(this.name));
		}
	}

	private void ask(Effects effects) {
		stopRecheck();
		Waiter head = this.queue.iterator().next();
		TenureId tenure = this.engine.nextTenure();
		var command = new LockBackend.Acquire(this.name, tenure, this.engine.label(head.owner()), head.lease(),
				anyoneWaits(), this.place);
		this.state = State.ASKING;
		this.woken = false;
		effects.add(() -> this.engine.acquire(command,
				(start, answer, failure) -> answered(command, head.isRenewed(), start, answer, failure)));
	}

	private void answered(LockBackend.Acquire command, boolean renewed, @Nullable Moment start,
			LockBackend.@Nullable Acquisition answer, @Nullable Throwable failure) {
		changing((effects) -> {
			this.state = State.IDLE;
			this.answers++;
			if (failure != null || start == null) {
				failed(command, start != null, Objects.requireNonNull(failure), effects);
			}
			else if (answer instanceof LockBackend.Granted granted) {
				granted(new Tenure(command.tenure(), granted.base(), command.lease(), renewed,
						Lease.of(start, command.lease())), effects);
			}
			else if (answer instanceof LockBackend.Refused refused) {
				refused(refused, effects);
			}
			proceed(effects);
			return true;
		});
	}

	/**
	 * What fails for one would fail for all: nobody is made to wait for a timeout of his
	 * own.
	 */
	private void failed(LockBackend.Acquire command, boolean sent, Throwable failure, Effects effects) {
		LockBackendException cause = this.engine.translate(this.name, failure);
		if (sent && mayStillRun(cause)) {
			effects.add(() -> this.engine.settle(this.name, command.tenure(), command.lease()));
		}
		failAll(cause, effects);
	}

	/** Whether an acquire that failed like this may take the lock all the same. */
	private static boolean mayStillRun(LockBackendException failure) {
		return switch (failure.reason()) {
			case TIMEOUT, UNREACHABLE -> true;
			default -> false;
		};
	}

	private void granted(Tenure tenure, Effects effects) {
		this.place = OptionalLong.empty();
		Waiter head = this.queue.isEmpty() ? null : this.queue.iterator().next();
		boolean fresh = tenure.lease().remainingNanos() > tenure.leaseTime().toNanos() / 2;
		if (head == null || !fresh || !head.canUse(tenure.leaseTime(), tenure.isRenewed())) {
			giveBack(tenure, effects);
			return;
		}
		this.queue.remove(head);
		left(head);
		Hold taken = new Hold(this, tenure, head.request(), head.owner());
		this.hold = taken;
		this.state = State.HELD;
		this.engine.watchdog().watch(taken);
		effects.add(() -> head.result().complete(new Handle(taken)));
	}

	private void giveBack(Tenure tenure, Effects effects) {
		this.state = State.RELEASING;
		Release command = new Release(this.name, tenure.id(), false);
		effects.add(() -> this.engine.release(command, tenure.leaseTime(), (reply, failure) -> changing((after) -> {
			if (failure != null) {
				after.add(() -> this.engine.settle(this.name, tenure.id(), tenure.leaseTime()));
			}
			this.state = State.IDLE;
			proceed(after);
			return true;
		})));
	}

	private void refused(LockBackend.Refused refused, Effects effects) {
		this.place = refused.place();
		this.lastHolder = refused.holder();
		refuseImpatient(effects);
		if (!this.queue.isEmpty() && this.place.isPresent() && !this.woken) {
			long expiry = refused.holder().remainingLease().toNanos() + AFTER_EXPIRY_NANOS;
			sleep(Math.min(expiry, jittered(RECHECK_NANOS)));
		}
	}

	private void refuseImpatient(Effects effects) {
		if (this.impatient == 0) {
			return;
		}
		Holder holder = holder();
		for (Iterator<Waiter> waiters = this.queue.iterator(); waiters.hasNext();) {
			Waiter waiter = waiters.next();
			if (!waiter.waits()) {
				waiters.remove();
				waiter.sawHolder(holder);
				effects.add(() -> waiter.result().complete(null));
			}
		}
		this.impatient = 0;
	}

	private void sleep(long nanos) {
		this.state = State.ASLEEP;
		this.recheck = this.engine.timer().in(nanos, this::wake);
	}

	private static long jittered(long nanos) {
		return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
	}

	private void stopRecheck() {
		if (this.recheck != null) {
			this.recheck.cancel();
			this.recheck = null;
		}
	}

	/**
	 * Undo one entry of a hold, and release the lock with the outermost.
	 * @return completes when the release is settled: exceptionally with
	 * {@link LockLostException} if the backend did not know the tenure any more
	 * @throws LockLostException if the hold was lost before
	 * @throws LockNotHeldException if it was released before
	 */
	CompletableFuture<@Nullable Void> release(Hold released) {
		CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
		changing((effects) -> {
			if (released.isHeld() && !released.isValid()) {
				lose(released, reasonOfExpiry(released), effects);
			}
			boolean lost = released.isLost();
			if (!released.leave()) {
				if (lost) {
					effects.add(() -> done.completeExceptionally(lossOf(released)));
				}
				else {
					writeCount(released, effects);
					effects.add(() -> done.complete(null));
				}
			}
			else if (lost) {
				// Perhaps the lease was renewed after it had been given up here.
				effects.add(() -> this.engine.settle(this.name, released.tenure().id(), released.tenure().leaseTime()));
				effects.add(() -> done.completeExceptionally(lossOf(released)));
				this.engine.forgetLoss(released);
				proceed(effects);
			}
			else {
				end(released, done, effects);
			}
			return true;
		});
		return done;
	}

	/** Why a hold is no longer one. */
	static RuntimeException goneOf(Hold hold) {
		LockLoss loss = hold.loss();
		return (loss != null) ? new LockLostException(loss)
				: new LockNotHeldException(hold.request().name(), hold.owner());
	}

	private static LockLostException lossOf(Hold hold) {
		return new LockLostException(Objects.requireNonNull(hold.loss()));
	}

	private void end(Hold ending, CompletableFuture<@Nullable Void> done, Effects effects) {
		this.engine.watchdog().unwatch(ending);
		ending.released();
		this.hold = null;
		this.state = State.RELEASING;
		this.woken = false;
		Release command = new Release(this.name, ending.tenure().id(), anyoneWaits());
		Duration heldFor = ending.heldFor();
		effects.add(() -> this.engine.release(command, ending.tenure().leaseTime(),
				(reply, failure) -> ended(ending, heldFor, done, reply, failure)));
	}

	private void ended(Hold ended, Duration heldFor, CompletableFuture<@Nullable Void> done,
			Release.@Nullable Reply reply, @Nullable Throwable failure) {
		changing((effects) -> {
			this.state = State.IDLE;
			if (reply == null) {
				effects.add(() -> unconfirmed(ended, heldFor, done, failure));
			}
			else {
				effects.add(() -> confirmed(ended, heldFor, done, reply));
				this.place = reply.place();
				if (this.place.isPresent() && !this.queue.isEmpty() && !this.woken) {
					sleep(jittered(RECHECK_NANOS));
				}
			}
			proceed(effects);
			return true;
		});
	}

	private void confirmed(Hold ended, Duration heldFor, CompletableFuture<@Nullable Void> done, Release.Reply reply) {
		if (reply.outcome() == Release.Outcome.NOT_HELD) {
			LockLoss loss = ended.lose(LockLoss.Reason.NOT_OWNED);
			done.completeExceptionally(new LockLostException(loss));
			this.engine.listeners().lost(loss);
		}
		else {
			done.complete(null);
			this.engine.listeners().tell((listener) -> listener.released(new Handle(ended), heldFor));
		}
	}

	private void unconfirmed(Hold ended, Duration heldFor, CompletableFuture<@Nullable Void> done,
			@Nullable Throwable failure) {
		LockBackendException cause = this.engine.translate(this.name, Objects.requireNonNull(failure));
		done.complete(null);
		this.engine.settle(this.name, ended.tenure().id(), ended.tenure().leaseTime());
		this.engine.listeners().tell((listener) -> listener.released(new Handle(ended), heldFor));
		this.engine.listeners().tell((listener) -> listener.releaseUnconfirmed(new Handle(ended), cause));
	}

	/** Make a lease last longer, waiting for the backend. */
	void extend(Hold extended, Duration lease) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		var command = new LockBackend.Renew(this.name, extended.tenure().id(), Math.max(1, extended.count()), lease);
		Moment start = Moment.now();
		this.engine.renew(command, extended.tenure().leaseTime(), (held, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(held);
			}
		});
		try {
			if (!answer.join()) {
				lose(extended, LockLoss.Reason.NOT_OWNED);
				throw goneOf(extended);
			}
		}
		catch (CompletionException | CancellationException ex) {
			throw this.engine.translate(this.name, ex);
		}
		extended.tenure().confirm(Lease.of(start, lease));
		this.engine.watchdog().extended(extended);
		if (!extended.isHeld()) {
			// It ended while the reply was on its way, and must not live on by it.
			this.engine.settle(this.name, extended.tenure().id(), lease);
			throw goneOf(extended);
		}
	}

	/** Declare a hold lost, unless it ended otherwise. */
	void lose(Hold lost, LockLoss.Reason reason) {
		changing((effects) -> {
			lose(lost, reason, effects);
			proceed(effects);
			return true;
		});
	}

	private void lose(Hold lost, LockLoss.Reason reason, Effects effects) {
		if (!lost.isHeld()) {
			return;
		}
		LockLoss loss = lost.lose(reason);
		this.hold = null;
		this.state = State.IDLE;
		this.engine.watchdog().unwatch(lost);
		this.engine.remember(lost);
		// Under the monitor: the owner cannot have gone on to other work yet.
		this.engine.interrupt(lost.owner());
		effects.add(() -> this.engine.listeners().lost(loss));
	}

	private static LockLoss.Reason reasonOfExpiry(Hold expired) {
		LockLoss.Reason stopped = expired.tenure().stopReason();
		return (stopped != null) ? stopped : LockLoss.Reason.LEASE_EXPIRED;
	}

	/**
	 * Write the absolute hold count, one write at a time, without anybody waiting for it.
	 */
	private void writeCount(Hold counted, Effects effects) {
		if (!counted.beginWriting()) {
			return;
		}
		var command = new LockBackend.Renew(this.name, counted.tenure().id(), counted.count(), Duration.ZERO);
		effects
			.add(() -> this.engine.renew(command, counted.tenure().leaseTime(), (held, failure) -> changing((after) -> {
				counted.endWriting();
				if (Boolean.FALSE.equals(held)) {
					lose(counted, LockLoss.Reason.NOT_OWNED, after);
					proceed(after);
				}
				else {
					writeCount(counted, after);
				}
				return true;
			})));
	}

	/** The hold of an owner, if it has one. */
	synchronized @Nullable Hold holdOf(LockOwner owner) {
		Hold current = this.hold;
		return (current != null && current.owner().equals(owner)) ? current : null;
	}

	synchronized void describe(Consumer<LockMonitor.Held> held, Consumer<LockMonitor.Waiting> waiting) {
		if (this.hold != null) {
			held.accept(this.hold.snapshot());
		}
		int position = 1;
		for (Waiter waiter : new ArrayList<>(this.queue)) {
			waiting.accept(new LockMonitor.Waiting(this.name, waiter.request().group(), waiter.request().type(),
					waiter.owner().toString(), Instant.ofEpochMilli(waiter.since().millis()), position++));
		}
	}

	synchronized int waiting() {
		return this.queue.size();
	}

	/** Who holds the lock as far as is known here. */
	private @Nullable Holder holder() {
		Hold current = this.hold;
		if (current == null) {
			return this.lastHolder;
		}
		return new Holder(this.engine.label(current.owner()), current.heldFor(), current.remainingLease());
	}

	private boolean changing(Change change) {
		Effects effects = new Effects();
		boolean result;
		synchronized (this) {
			result = change.apply(effects);
		}
		effects.run();
		return result;
	}

	/**
	 * A step under the monitor.
	 */
	private interface Change {

		boolean apply(Effects effects);

	}

	private enum State {

		/** Nothing is under way. */
		IDLE,
		/** An acquire is on its way. */
		ASKING,
		/** Registered as waiting; a wake-up or the re-check asks again. */
		ASLEEP,
		/** This JVM holds the lock. */
		HELD,
		/** A release is on its way. */
		RELEASING

	}

}
