package io.lockstarter.engine;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The place of one name in this JVM: a queue whose head alone talks to the backend.
 * <p>
 * A grant belongs to the place, not to the request it was asked for: it goes to whoever
 * heads the queue when it arrives, and is given back when nobody does. So a request may
 * leave the queue at any instant without leaving anything behind. A released tenure stays
 * with the place as long as it may be handed on: it is then offered to the head of the
 * queue, whom running threads may overtake for a while. Readers share tenures; a reader
 * that heads the queue joins one where that does no wrong to a writer who waits.
 */
final class LocalLock {

	private final Engine engine;

	private final String name;

	private final WaitQueue queue = new WaitQueue();

	private final Possession possession = new Possession();

	private final Standing standing;

	private final Grants grants;

	private final Applicant applicant;

	private final Endings endings;

	private boolean retired;

	LocalLock(Engine engine, String name) {
		this.engine = engine;
		this.name = name;
		this.standing = new Standing(engine.timer(), engine.commands()::isListening, this::wake);
		this.grants = new Grants(this.queue, this.possession);
		this.applicant = new Applicant(this, this.queue, this.possession, this.standing);
		this.endings = new Endings(this, this.queue, this.possession, this.standing, this.grants);
	}

	Engine engine() {
		return this.engine;
	}

	String name() {
		return this.name;
	}

	/**
	 * Let a request enter: re-enter, overtake, or join the queue.
	 * @return {@code false} if this place was given up meanwhile, and a new one is needed
	 */
	boolean enter(Waiter waiter) {
		return changing((effects) -> {
			if (this.retired) {
				return false;
			}
			waiter.joined(this, this.standing.answersBeforeNext());
			if (this.grants.repeat(waiter, effects)) {
				return true;
			}
			LockException refusal = refusal(waiter);
			if (refusal != null) {
				effects.add(() -> waiter.failed(refusal));
				proceed(effects);
			}
			else if (!this.grants.overtake(waiter, effects)) {
				join(waiter);
				proceed(effects);
			}
			return true;
		});
	}

	/** What is known beforehand to make the request fail. */
	private @Nullable LockException refusal(Waiter waiter) {
		return this.engine.isClosed() ? new LockRegistryClosedException(this.name)
				: this.engine.commands().objection(waiter);
	}

	private void join(Waiter waiter) {
		if (this.queue.isStanding() || this.possession.exclusive() != null) {
			waiter.queued();
		}
		this.queue.add(waiter);
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
			waiter.sawHolder(holder());
			proceed(effects);
			return true;
		});
	}

	/**
	 * End the wait of a request. One that has had no answer of its own yet waits for that
	 * if the lock is being asked for: a free lock is taken however short the wait.
	 */
	void expire(Waiter waiter) {
		change((effects) -> {
			if (!this.queue.contains(waiter) || !waiter.waits()) {
				return;
			}
			if (this.standing.isAsking() && this.applicant.outage(waiter) == null
					&& !waiter.wasAnswered(this.standing.answers())) {
				this.queue.tryLastTime(waiter);
				return;
			}
			if (this.possession.isOffered() && this.queue.head() == waiter && this.grants.handOver(effects)) {
				return;
			}
			this.queue.remove(waiter);
			refuse(waiter, effects);
			proceed(effects);
		});
	}

	/**
	 * A waiter that was called takes what is offered to it.
	 * @return after how long, in nanoseconds, to look again if nobody calls
	 */
	long claim(Waiter waiter) {
		return changing((effects) -> claim(waiter, effects));
	}

	private long claim(Waiter waiter, Effects effects) {
		if (this.queue.head() != waiter || this.possession.exclusive() == null) {
			return Long.MAX_VALUE;
		}
		long nap = this.queue.turn().look(this.possession.isOffered(), effects.now());
		if (nap > 0) {
			return nap;
		}
		Tenure offered = Objects.requireNonNull(this.possession.exclusive());
		if (!this.grants.handOver(effects)) {
			// Decided once: were its lease renewed at this moment, nobody would take it.
			this.endings.giveBack(offered, effects);
		}
		return Long.MAX_VALUE;
	}

	/** The lock may be free. */
	void wake() {
		change((effects) -> {
			if (this.standing.wake()) {
				this.applicant.ask(effects);
			}
		});
	}

	/** This client was taken out of the waiters: whoever waits here must ask again. */
	void withdrawn() {
		change((effects) -> {
			if (!this.standing.isPausing() && this.standing.wake()) {
				this.applicant.ask(effects);
			}
		});
	}

	/** Another client waits for the lock. */
	synchronized void wanted() {
		this.applicant.wanted();
		this.possession.wanted();
	}

	/**
	 * Ask whether the lock is still held here. That somebody says it is not is no reason
	 * to believe it.
	 */
	void verify() {
		tenures().forEach(Tenure::verify);
	}

	/** Leases may have ended, or be about to, before the time that was reckoned with. */
	void hurry() {
		tenures().forEach((tenure) -> tenure.watch().hurry());
	}

	private synchronized List<Tenure> tenures() {
		return this.possession.all();
	}

	/** Refuse all who wait: the registry closes. */
	void close() {
		change((effects) -> {
			failAll(new LockRegistryClosedException(this.name), effects);
			proceed(effects);
		});
	}

	void failAll(LockException cause, Effects effects) {
		for (Waiter waiter : this.queue.removeAll()) {
			effects.add(() -> waiter.failed(cause));
		}
	}

	private void refuse(Waiter waiter, Effects effects) {
		LockException outage = this.applicant.outage(waiter);
		if (outage != null) {
			effects.add(() -> waiter.failed(outage));
			return;
		}
		waiter.sawHolder(holder());
		effects.add(waiter::refused);
	}

	void refuseImpatient(Predicate<Waiter> meant, Effects effects) {
		for (Waiter waiter : this.queue.removeImpatient(meant)) {
			refuse(waiter, effects);
		}
	}

	/** Do what the state calls for. */
	void proceed(Effects effects) {
		this.endings.loseExpired(effects);
		if (this.possession.isOffered() && !this.grants.offer(effects)) {
			this.endings.giveBack(Objects.requireNonNull(this.possession.exclusive()), effects);
		}
		this.grants.admitReaders(effects);
		Tenure current = this.possession.exclusive();
		if (current != null) {
			refuseImpatient((waiter) -> !waiter.isShared() || !current.isDowngrading(), effects);
		}
		else if (this.queue.isEmpty()) {
			if (this.standing.isIdle() || this.standing.isAsleep()) {
				leave(effects);
			}
		}
		else if (this.standing.isIdle() || (this.standing.isAsleep() && isToAskAgain())) {
			this.applicant.ask(effects);
		}
	}

	private boolean isToAskAgain() {
		return this.queue.hasImpatient() || !this.standing.isAskedFor(Objects.requireNonNull(this.queue.head()));
	}

	/** Nobody here waits any more. */
	private void leave(Effects effects) {
		if (this.possession.hasNoShare()) {
			this.retired = true;
			this.engine.forget(this.name, this);
		}
		TenureId left = this.standing.leave(this.engine);
		if (left != null) {
			// Takes this client out of the waiters and hands on what it no longer needs.
			effects.add(() -> this.engine.passOn(this.name, left));
		}
	}

	/**
	 * The lock was granted while this JVM waited for it.
	 * @return {@code false} if it does not wait with that tenure any more
	 */
	boolean granted(LockBackend.Offer offer) {
		return changing((effects) -> this.applicant.offered(offer, effects));
	}

	/** The backend has granted the lock to this JVM. */
	void granted(Tenure granted, Effects effects) {
		if (!this.grants.begin(granted, effects)) {
			this.endings.giveBack(granted, effects);
		}
	}

	/**
	 * Undo one entry of a hold, and with the outermost hand the lock on or release it.
	 * @return completes when the release is settled, with what is then to be told of it;
	 * or exceptionally with {@link io.lockstarter.core.LockLostException} if the backend
	 * did not know the tenure any more
	 * @throws io.lockstarter.core.LockLostException if the hold was lost before
	 * @throws LockNotHeldException if it was released before
	 */
	CompletableFuture<Runnable> release(Hold released) {
		return release(released, null);
	}

	/**
	 * The same for an entry that may outlive its thread.
	 * @param outlived what it was told if it does
	 */
	CompletableFuture<Runnable> release(Hold released, @Nullable BooleanSupplier outlived) {
		return changing((effects) -> this.endings.release(released, outlived, effects));
	}

	/** One entry of a hold does not end with the thread that has made it. */
	synchronized void outliveThread(Hold hold, BooleanSupplier again) {
		hold.outliveThread(again);
	}

	/** Declare those tenures lost whose lease has run out. */
	void loseExpired() {
		change(this::proceed);
	}

	/** Declare a tenure lost, unless it ended otherwise. */
	void lose(Tenure lost, LockLoss.Reason reason) {
		change((effects) -> {
			this.endings.lose(lost, reason, effects);
			proceed(effects);
		});
	}

	/** Declare a single hold lost, while the tenure goes on for others. */
	void lose(Hold lost, LockLoss.Reason reason) {
		change((effects) -> {
			this.endings.lose(lost, reason, effects);
			proceed(effects);
		});
	}

	/**
	 * The hold of an owner, if it has one: as a reader, or as one who excludes others.
	 */
	synchronized @Nullable Hold holdOf(LockOwner owner, boolean reads) {
		return this.possession.find(owner, reads);
	}

	synchronized void describe(Consumer<LockMonitor.Held> held, Consumer<LockMonitor.Waiting> waiting) {
		this.possession.holds().forEach((hold) -> held.accept(hold.snapshot()));
		int position = 1;
		for (Waiter waiter : this.queue.all()) {
			waiting.accept(new LockMonitor.Waiting(this.name, waiter.request().group(), waiter.request().type(),
					waiter.owner(), Instant.now().minus(waiter.waited()), position++));
		}
	}

	synchronized int held() {
		return this.possession.holds().size();
	}

	/** Whether no work goes on under the lock any more, which is only kept. */
	synchronized boolean isLeft() {
		List<Tenure> tenures = this.possession.all();
		return !tenures.isEmpty() && tenures.stream().allMatch(Tenure::isLeft);
	}

	/** The tenures that are only kept. */
	synchronized List<Tenure> left() {
		return this.possession.all().stream().filter(Tenure::isLeft).toList();
	}

	synchronized int waiting() {
		return this.queue.size();
	}

	/** Who holds the lock as far as is known here. */
	private @Nullable Holder holder() {
		List<Hold> holds = this.possession.holds();
		if (holds.isEmpty()) {
			return this.applicant.lastHolder();
		}
		Hold current = holds.get(0);
		return new Holder(this.engine.label(current.owner()), current.heldFor(), current.remainingLease());
	}

	/** Take a step under the monitor, and then do what follows from it. */
	void change(Consumer<Effects> step) {
		changing((effects) -> {
			step.accept(effects);
			return true;
		});
	}

	private <T> T changing(Function<Effects, T> step) {
		Effects effects = new Effects();
		try {
			synchronized (this) {
				return step.apply(effects);
			}
		}
		finally {
			// If the step broke off, somebody waits for what it had decided.
			effects.run();
		}
	}

}
