package io.lockstarter.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
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

	private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

	private static final long DOWNGRADE_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private final Engine engine;

	private final String name;

	private final WaitQueue queue = new WaitQueue();

	/** What this JVM does without the lock. */
	private final Standing standing;

	/** What this JVM does with the lock, if it has it for itself. */
	private @Nullable Tenure tenure;

	/** What this JVM does with the lock, if it has it as a reader. */
	private final Shares shares = new Shares();

	private @Nullable Holder lastHolder;

	private boolean wanted;

	private boolean retired;

	LocalLock(Engine engine, String name) {
		this.engine = engine;
		this.name = name;
		this.standing = new Standing(engine.timer(), this::wake);
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
			waiter.joined(this, this.standing.answers());
			if (reenter(waiter, effects)) {
				return true;
			}
			if (isUpgrade(waiter)) {
				effects.add(() -> waiter.failed(new LockUpgradeException(this.name, waiter.owner())));
			}
			else if (this.engine.isClosed()) {
				effects.add(() -> waiter.failed(new LockRegistryClosedException(this.name)));
				proceed(effects);
			}
			else if (isOffered() && mayOvertake(waiter)) {
				this.queue.turn().overtake();
				handOver(waiter, effects);
			}
			else {
				this.queue.add(waiter);
				proceed(effects);
			}
			return true;
		});
	}

	/** Let an owner who has the lock already take it again. */
	private boolean reenter(Waiter waiter, Effects effects) {
		Hold current = find(waiter.owner(), waiter.isShared());
		if (current != null && current.isValid()) {
			current.reenter();
			current.tenure().countWriter().countChanged();
			effects.add(() -> waiter.granted(new Handle(current, Handle.Entry.REENTERED)));
			return true;
		}
		Hold writing = waiter.isShared() ? find(waiter.owner(), false) : null;
		if (writing != null && writing.isValid()) {
			Hold begun = writing.tenure().beginReading(waiter, writing);
			effects.add(() -> waiter.granted(new Handle(begun, Handle.Entry.REENTERED)));
			return true;
		}
		return false;
	}

	private boolean isUpgrade(Waiter waiter) {
		Hold reading = waiter.isShared() ? null : find(waiter.owner(), true);
		return reading != null && reading.isValid();
	}

	private @Nullable Hold find(LockOwner owner, boolean reads) {
		Hold found = (this.tenure != null) ? this.tenure.holdOf(owner, reads) : null;
		return (found == null && reads) ? this.shares.holdOf(owner) : found;
	}

	/** Whether this JVM has the lock for itself, and nobody in it holds it yet. */
	private boolean isOffered() {
		return this.tenure != null && this.tenure.isUnheld();
	}

	private boolean mayOvertake(Waiter waiter) {
		Waiter head = this.queue.head();
		return waiter.mayOvertake() && (head == null || !head.isFair()) && !this.queue.turn().isOver()
				&& canBeHandedTo(waiter);
	}

	private boolean canBeHandedTo(@Nullable Waiter waiter) {
		return this.tenure != null && waiter != null && this.tenure.canGoTo(waiter);
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
	 * End the wait of a request. One that has had no answer yet gets the one that is on
	 * its way: a free lock is taken however short the wait.
	 */
	void expire(Waiter waiter) {
		changing((effects) -> {
			if (!this.queue.contains(waiter) || !waiter.waits()) {
				return false;
			}
			if (this.standing.isAsking() && !waiter.wasAnswered(this.standing.answers())) {
				this.queue.tryLastTime(waiter);
				return true;
			}
			if (isOffered() && this.queue.head() == waiter && canBeHandedTo(waiter)) {
				handOverToHead(effects);
				return true;
			}
			this.queue.remove(waiter);
			refuse(waiter, effects);
			proceed(effects);
			return true;
		});
	}

	/**
	 * A waiter that was called takes what is offered to it.
	 * @return after how long, in nanoseconds, to look again if nobody calls
	 */
	long claim(Waiter waiter) {
		Effects effects = new Effects();
		long nap = Long.MAX_VALUE;
		synchronized (this) {
			if (this.queue.head() == waiter && this.tenure != null) {
				Turn turn = this.queue.turn();
				boolean busy = turn.isBusy();
				if (isOffered() && (turn.isOver() || !busy)) {
					if (canBeHandedTo(waiter)) {
						handOverToHead(effects);
					}
					else {
						proceed(effects);
					}
				}
				else if (!turn.isOver()) {
					nap = turn.napNanos();
				}
			}
		}
		effects.run();
		return nap;
	}

	/** The lock may be free. */
	void wake() {
		changing((effects) -> {
			if (this.standing.wake()) {
				ask(effects);
			}
			return true;
		});
	}

	/** Another client waits for the lock. */
	synchronized void wanted() {
		this.wanted = true;
		if (this.tenure != null) {
			this.tenure.demand().wanted();
		}
		this.shares.wanted();
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
		for (Waiter waiter : this.queue.removeAll()) {
			effects.add(() -> waiter.failed(cause));
		}
	}

	private void refuse(Waiter waiter, Effects effects) {
		waiter.sawHolder(holder());
		effects.add(waiter::refused);
	}

	private void refuseImpatient(Effects effects) {
		for (Waiter waiter : this.queue.removeImpatient()) {
			refuse(waiter, effects);
		}
	}

	/** Do what the state calls for. */
	private void proceed(Effects effects) {
		loseExpired(effects);
		if (isOffered()) {
			offer(effects);
		}
		admitReaders(effects);
		if (this.tenure != null) {
			refuseImpatient(effects);
		}
		else if (this.queue.isEmpty()) {
			if (this.standing.isIdle() || this.standing.isAsleep()) {
				leave(effects);
			}
		}
		else if (this.standing.isIdle() || (this.standing.isAsleep() && isToAskAgain())) {
			ask(effects);
		}
	}

	private boolean isToAskAgain() {
		return this.queue.hasImpatient() || !this.standing.isAskedFor(Objects.requireNonNull(this.queue.head()));
	}

	private void loseExpired(Effects effects) {
		if (this.tenure != null && !this.tenure.isValid()) {
			lose(this.tenure, this.tenure.reasonOfExpiry(), effects);
		}
		for (Tenure share : List.copyOf(this.shares.all())) {
			if (!share.isValid()) {
				lose(share, share.reasonOfExpiry(), effects);
			}
		}
	}

	/** Let readers at the head of the queue join those who have the lock already. */
	private void admitReaders(Effects effects) {
		Waiter head = this.queue.head();
		Tenure share = (head != null && head.isShared()) ? this.shares.joinable(head) : null;
		while (head != null && share != null) {
			join(share, head, effects);
			head = this.queue.head();
			share = (head != null && head.isShared()) ? this.shares.joinable(head) : null;
		}
	}

	private void join(Tenure share, Waiter reader, Effects effects) {
		this.queue.remove(reader);
		grant(share, reader, Handle.Entry.JOINED, effects);
	}

	/** See to it that somebody takes the tenure on offer. */
	private void offer(Effects effects) {
		Waiter head = this.queue.head();
		if (!canBeHandedTo(head)) {
			giveBack(Objects.requireNonNull(this.tenure), effects);
		}
		else {
			offerTo(Objects.requireNonNull(head), effects);
		}
	}

	private void offerTo(Waiter head, Effects effects) {
		Turn turn = this.queue.turn();
		if (turn.isOver() || this.queue.hasImpatient() || !head.canClaim() || head.isFair()) {
			handOverToHead(effects);
		}
		else if (turn.call()) {
			effects.add(head::call);
		}
	}

	private void handOverToHead(Effects effects) {
		Waiter head = Objects.requireNonNull(this.queue.head());
		this.queue.remove(head);
		handOver(head, effects);
	}

	private void handOver(Waiter waiter, Effects effects) {
		Tenure current = Objects.requireNonNull(this.tenure);
		current.demand().handOver();
		grant(current, waiter, Handle.Entry.HANDED_OVER, effects);
	}

	private void grant(Tenure granted, Waiter waiter, Handle.Entry entry, Effects effects) {
		Hold reading = waiter.isShared() ? granted.holdOf(waiter.owner(), true) : null;
		if (reading != null) {
			// The owner has asked several times at once.
			reading.reenter();
			effects.add(() -> waiter.granted(new Handle(reading, Handle.Entry.REENTERED)));
			return;
		}
		Hold begun = granted.begin(waiter);
		effects.add(() -> waiter.granted(new Handle(begun, entry)));
		if (granted.tokens().beginAsking()) {
			effects.add(granted::askForTokens);
		}
	}

	/** Nobody here waits any more. */
	private void leave(Effects effects) {
		if (this.shares.isGone()) {
			this.retired = true;
			this.engine.forget(this.name, this);
		}
		TenureId left = this.standing.leave(this.engine);
		if (left != null) {
			// Takes this client out of the waiters and hands on what it no longer needs.
			effects.add(() -> this.engine.passOn(this.name, left));
		}
	}

	private void ask(Effects effects) {
		Waiter head = Objects.requireNonNull(this.queue.head());
		LockBackend.Acquire command = this.standing.ask(head, this.engine, this.queue.anyoneWaits());
		this.wanted = false;
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
		changing((effects) -> {
			this.standing.answered();
			if (failure != null || start == null) {
				failed(command, start != null, Objects.requireNonNull(failure), effects);
			}
			else if (answer instanceof LockBackend.Granted granted) {
				Demand demand = demand(granted.wanted());
				granted(new Tenure(this, command, granted.base(), asker.isRenewed(), Lease.of(start, command.lease()),
						demand, this.engine.watchdog()), effects);
			}
			else if (answer instanceof LockBackend.Refused refused) {
				refused(command, start, refused, effects);
			}
			proceed(effects);
			return true;
		});
	}

	private Demand demand(boolean remote) {
		Demand demand = new Demand(this.engine.settings().handoverLimit());
		if (remote || this.wanted) {
			demand.wanted();
		}
		return demand;
	}

	/**
	 * The lock was granted while this JVM waited for it.
	 * @return {@code false} if it does not wait with that tenure any more
	 */
	boolean granted(LockBackend.Offer offer) {
		return changing((effects) -> {
			if (this.standing.isRegistering(offer.tenure())) {
				// Quicker than the answer that it waits: it is asked for after that.
				this.standing.wake();
				return true;
			}
			if (!this.standing.isRegisteredWith(offer.tenure())) {
				return has(offer.tenure());
			}
			Lease lease = this.standing.leaseOf(offer);
			LockBackend.Acquire command = (lease != null) ? this.standing.take() : null;
			if (lease != null && command != null) {
				granted(new Tenure(this, command, offer.base(), true, lease, demand(offer.wanted()),
						this.engine.watchdog()), effects);
				proceed(effects);
			}
			else if (this.standing.wake()) {
				ask(effects);
			}
			return true;
		});
	}

	/** Whether a tenure that was granted has been taken already. */
	private boolean has(TenureId id) {
		return (this.tenure != null && this.tenure.id().equals(id)) || this.shares.has(id);
	}

	/**
	 * What fails for one would fail for all: nobody is made to wait for a timeout of his
	 * own.
	 */
	private void failed(LockBackend.Acquire command, boolean sent, Throwable failure, Effects effects) {
		LockBackendException cause = Commands.translate(this.name, failure);
		if (sent && mayStillRun(cause)) {
			effects.add(() -> this.engine.commands().settle(this.name, command.tenure(), command.lease()));
		}
		failAll(cause, effects);
	}

	/**
	 * Whether an acquire that failed like this may have taken the lock, or may take it
	 * yet.
	 */
	private static boolean mayStillRun(LockBackendException failure) {
		return switch (failure.reason()) {
			case TIMEOUT, UNREACHABLE, NOT_REPLICATED -> true;
			default -> false;
		};
	}

	private void granted(Tenure granted, Effects effects) {
		this.standing.granted();
		Waiter head = this.queue.head();
		if (head == null || !granted.isFresh() || !head.canUse(granted)) {
			giveBack(granted, effects);
			return;
		}
		this.queue.remove(head);
		grant(granted, head, Handle.Entry.ACQUIRED, effects);
		if (granted.isShared()) {
			this.shares.add(granted);
			admitAll(granted, effects);
		}
		else {
			this.tenure = granted;
		}
		// After the caller was told, who need not wait for it.
		effects.add(granted.watch()::schedule);
	}

	/** A writer who waits elsewhere came after the readers that wait here by now. */
	private void admitAll(Tenure share, Effects effects) {
		Waiter head = this.queue.head();
		while (head != null && share.canTake(head)) {
			join(share, head, effects);
			head = this.queue.head();
		}
	}

	/** Release a tenure that nobody holds. */
	private void giveBack(Tenure unused, Effects effects) {
		conclude(unused, effects, (reply, failure) -> {
			if (failure != null) {
				this.engine.commands().settle(this.name, unused.id(), unused.leaseTime());
			}
		});
	}

	private void refused(LockBackend.Acquire command, Moment start, LockBackend.Refused refused, Effects effects) {
		this.lastHolder = refused.holder();
		refuseImpatient(effects);
		this.standing.refused(command, start, refused, !this.queue.isEmpty());
	}

	/**
	 * Undo one entry of a hold, and with the outermost hand the lock on or release it.
	 * @return completes when the release is settled: exceptionally with
	 * {@link io.lockstarter.core.LockLostException} if the backend did not know the
	 * tenure any more
	 * @throws io.lockstarter.core.LockLostException if the hold was lost before
	 * @throws LockNotHeldException if it was released before
	 */
	CompletableFuture<@Nullable Void> release(Hold released) {
		Effects effects = new Effects();
		CompletableFuture<@Nullable Void> done;
		synchronized (this) {
			if (released.isHeld() && !released.isValid()) {
				lose(released.tenure(), released.tenure().reasonOfExpiry(), effects);
				proceed(effects);
			}
			boolean lost = released.isLost();
			boolean outermost = released.leave();
			if (lost) {
				done = CompletableFuture.failedFuture(released.gone());
				if (outermost) {
					forgetLost(released, effects);
				}
			}
			else if (outermost) {
				done = end(released, effects);
			}
			else {
				released.tenure().countWriter().countChanged();
				done = DONE;
			}
		}
		effects.run();
		return done;
	}

	private void forgetLost(Hold lost, Effects effects) {
		Tenure tenure = lost.tenure();
		if (tenure.hasEnded()) {
			// Perhaps the lease was renewed after it had been given up here.
			effects.add(() -> this.engine.commands().settle(this.name, tenure.id(), tenure.leaseTime()));
		}
		this.engine.forgetLoss(lost);
	}

	private CompletableFuture<@Nullable Void> end(Hold ended, Effects effects) {
		ended.released();
		Tenure current = ended.tenure();
		current.endHold(ended);
		current.countWriter().countChanged();
		Waiter head = this.queue.head();
		if (!current.isUnheld()) {
			if (!current.isShared() && current.hold() == null) {
				downgrade(current, effects);
			}
		}
		else if (current.isShared() || head == null || !this.engine.settings().handsOver() || !canBeHandedTo(head)) {
			Settlement settlement = new Settlement(this.engine, ended);
			conclude(current, effects, settlement::answered);
			return settlement.done();
		}
		else {
			offerTo(head, effects);
		}
		if (!this.engine.listeners().isEmpty()) {
			Duration heldFor = ended.heldFor();
			effects.add(() -> this.engine.listeners().released(ended, heldFor));
		}
		return DONE;
	}

	/** Let other readers in: the one who wrote only reads on. */
	private void downgrade(Tenure written, Effects effects) {
		written.beginDowngrade();
		Release command = new Release(this.name, written.id(), Release.Intent.DOWNGRADE, null);
		effects.add(() -> this.engine.commands()
			.release(command, written.leaseTime(), (reply, failure) -> downgraded(written, reply)));
	}

	private void downgraded(Tenure written, Release.@Nullable Reply reply) {
		changing((effects) -> {
			if (this.tenure != written) {
				// It has ended meanwhile.
				return false;
			}
			if (reply == null) {
				// Too much is excluded until it succeeds, never too little.
				this.engine.timer().in(DOWNGRADE_RETRY_NANOS, () -> changing((later) -> {
					if (this.tenure == written) {
						downgrade(written, later);
					}
					return true;
				}));
			}
			else if (reply.outcome() == Release.Outcome.NOT_HELD) {
				lose(written, LockLoss.Reason.NOT_OWNED, effects);
			}
			else {
				written.share();
				this.shares.add(written);
				this.tenure = null;
			}
			proceed(effects);
			return true;
		});
	}

	/** End a tenure in the backend. */
	private void conclude(Tenure ending, Effects effects,
			BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		ending.end();
		Release command = ending.isShared() ? concludeShare(ending) : concludeAlone(ending);
		Moment start = Moment.now();
		effects.add(() -> this.engine.commands().release(command, ending.leaseTime(), (reply, failure) -> {
			try {
				// First of all, since a thread waits for it.
				then.accept(reply, failure);
			}
			finally {
				concluded(command, start, reply);
			}
		}));
		effects.add(ending.watch()::schedule);
	}

	private Release concludeShare(Tenure ending) {
		this.shares.leave(ending);
		return new Release(this.name, ending.id(), Release.Intent.STAY, null);
	}

	private Release concludeAlone(Tenure ending) {
		this.tenure = null;
		return this.standing.release(ending, this.queue, this.engine);
	}

	private void concluded(Release command, Moment start, Release.@Nullable Reply reply) {
		changing((effects) -> {
			if (command.intent() == Release.Intent.STAY) {
				this.shares.left();
			}
			else {
				this.standing.released(command, start, reply, !this.queue.isEmpty());
			}
			proceed(effects);
			return true;
		});
	}

	/** Declare a tenure lost, unless it ended otherwise. */
	void lose(Tenure lost, LockLoss.Reason reason) {
		changing((effects) -> {
			lose(lost, reason, effects);
			proceed(effects);
			return true;
		});
	}

	private void lose(Tenure lost, LockLoss.Reason reason, Effects effects) {
		if (this.tenure == lost) {
			this.tenure = null;
		}
		else if (!this.shares.remove(lost)) {
			return;
		}
		lost.end();
		effects.add(lost.watch()::schedule);
		lost.holds().forEach((hold) -> lose(hold, reason, effects));
	}

	/** Declare a single hold lost, while the tenure goes on for others. */
	void lose(Hold lost, LockLoss.Reason reason) {
		changing((effects) -> {
			if (lost.isHeld()) {
				Tenure current = lost.tenure();
				current.endHold(lost);
				lose(lost, reason, effects);
				if (current.isShared() && current.isUnheld()) {
					// The others have been released meanwhile.
					giveBack(current, effects);
				}
				proceed(effects);
			}
			return true;
		});
	}

	private void lose(Hold lost, LockLoss.Reason reason, Effects effects) {
		LockLoss loss = lost.lose(reason);
		this.engine.remember(lost);
		// Under the monitor: the owner cannot have gone on to other work yet.
		this.engine.interrupt(lost.owner());
		effects.add(() -> this.engine.listeners().lost(loss));
	}

	/**
	 * The hold of an owner, if it has one: as a reader, or as one who excludes others.
	 */
	synchronized @Nullable Hold holdOf(LockOwner owner, boolean reads) {
		return find(owner, reads);
	}

	synchronized void describe(Consumer<LockMonitor.Held> held, Consumer<LockMonitor.Waiting> waiting) {
		holds().forEach((hold) -> held.accept(hold.snapshot()));
		int position = 1;
		for (Waiter waiter : this.queue.all()) {
			waiting.accept(new LockMonitor.Waiting(this.name, waiter.request().group(), waiter.request().type(),
					waiter.owner().toString(), Instant.now().minus(waiter.waited()), position++));
		}
	}

	synchronized int held() {
		return holds().size();
	}

	/** Whether no work goes on under the lock any more, which is only kept. */
	synchronized boolean isLeft() {
		List<Hold> holds = holds();
		return !holds.isEmpty() && holds.stream().allMatch(Hold::isLeft);
	}

	synchronized int waiting() {
		return this.queue.size();
	}

	/** Who holds the lock as far as is known here. */
	private @Nullable Holder holder() {
		List<Hold> holds = holds();
		if (holds.isEmpty()) {
			return this.lastHolder;
		}
		Hold current = holds.get(0);
		return new Holder(this.engine.label(current.owner()), current.heldFor(), current.remainingLease());
	}

	private List<Hold> holds() {
		List<Hold> holds = new ArrayList<>();
		if (this.tenure != null) {
			holds.addAll(this.tenure.holds());
		}
		this.shares.all().forEach((share) -> holds.addAll(share.holds()));
		return holds;
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

}
