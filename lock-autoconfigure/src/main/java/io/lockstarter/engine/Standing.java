package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Offer;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * How this JVM stands with the backend for one name while it does not have the lock:
 * asking, asleep among the waiting clients, or giving a tenure back. Used under the
 * monitor of the {@link LocalLock}.
 */
final class Standing {

	private static final long RECHECK_NANOS = Duration.ofSeconds(1).toNanos();

	/** While no message would be heard. */
	private static final long RECHECK_UNHEARD_NANOS = Duration.ofMillis(100).toNanos();

	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LAST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	/** How often this JVM takes the lock again although others may wait for it. */
	private static final int RETURNS = 64;

	private static final long LONGEST_RETURN_NANOS = Duration.ofMillis(10).toNanos();

	/** How long after the end of the lease seen to ask again. */
	private static final long AFTER_EXPIRY_NANOS = Duration.ofMillis(1).toNanos();

	private final Timer timer;

	private final BooleanSupplier listening;

	private final Runnable recheck;

	private State state = State.IDLE;

	/**
	 * The place that this client has among the waiting, until an answer says that it has
	 * none, or it leaves.
	 */
	private OptionalLong place = OptionalLong.empty();

	/** On whose behalf it was given. */
	private @Nullable Waiter placed;

	/** On whose behalf it asked last. */
	private @Nullable Waiter asker;

	/**
	 * What this client is registered with among the waiting, and may be granted. A
	 * question that does not register it leaves that as it is.
	 */
	private @Nullable Acquire registered;

	/** What it will be registered with when the command under way has been answered. */
	private @Nullable Acquire registering;

	/** When that was asked for, and what the backend's clock showed then. */
	private @Nullable Moment registeredAt;

	private long registeredMicros;

	private boolean woken;

	/**
	 * For how long it pauses before it asks again, if it does so because of an outage.
	 */
	private long pauseNanos;

	private long answers;

	private long since;

	private int returns;

	/** Whether the last release has left it to the next one to wake others. */
	private boolean returning;

	/** Releases that were followed by a question before they were answered. */
	private int followed;

	/** What is to be told after the answer to the question under way. */
	private final List<Runnable> postponed = new ArrayList<>(1);

	private Timer.@Nullable Task recheckTask;

	/**
	 * Begin without any dealings.
	 * @param listening whether a wake-up would be heard
	 * @param recheck asks again by itself, if no wake-up has come
	 */
	Standing(Timer timer, BooleanSupplier listening, Runnable recheck) {
		this.timer = timer;
		this.listening = listening;
		this.recheck = recheck;
	}

	boolean isIdle() {
		return this.state == State.IDLE;
	}

	boolean isAsking() {
		return this.state == State.ASKING;
	}

	boolean isAsleep() {
		return this.state == State.ASLEEP;
	}

	/** Whether it waits for the end of an outage before it asks again. */
	boolean isPausing() {
		return isAsleep() && this.pauseNanos > 0;
	}

	/** How many answers have come so far. */
	long answers() {
		return this.answers;
	}

	/** How many will have come before one to a question that is asked from now on. */
	long answersBeforeNext() {
		return this.answers + (isAsking() ? 1 : 0);
	}

	/** Begin to ask on behalf of a request. */
	Acquire ask(Waiter head, Engine engine, boolean anyoneWaits) {
		stopRecheck();
		this.state = State.ASKING;
		this.woken = false;
		Acquire command = acquire(head, engine, anyoneWaits);
		this.registering = command.takesOffers() ? command : null;
		return command;
	}

	/** Whether it was this request, or one like it, that it last asked for. */
	boolean isAskedFor(Waiter head) {
		if (head.isFair()) {
			return this.asker == head;
		}
		return this.asker != null && this.asker.isShared() == head.isShared();
	}

	/**
	 * Give up what it is registered with if a request cannot use it, and it has heard
	 * since it asked last that it may have been granted.
	 * @return what is to be ended; {@code null} if there is nothing
	 */
	@Nullable TenureId giveUpFor(Waiter head) {
		Acquire before = this.registered;
		if (before == null || !this.woken || before.type().isShared() == head.isShared()) {
			return null;
		}
		this.registered = null;
		return before.tenure();
	}

	private Acquire acquire(Waiter head, Engine engine, boolean anyoneWaits) {
		this.asker = head;
		boolean offers = head.isRenewed() && engine.commands().makesOffers();
		Waiting waiting = anyoneWaits ? new Waiting(placeFor(head), head.waited(), offers) : null;
		return new Acquire(head.request().name(), tenureFor(head, engine, anyoneWaits), head.request().type(),
				engine.label(head.owner()), head.lease(), waiting);
	}

	/** A fair request has a time of arrival of its own. */
	private OptionalLong placeFor(Waiter head) {
		return (head.isFair() && this.placed != head) ? OptionalLong.empty() : this.place;
	}

	/**
	 * The tenure it is registered with, which may have been granted meanwhile, or a new
	 * one.
	 */
	private TenureId tenureFor(Waiter head, Engine engine, boolean registers) {
		Acquire before = this.registered;
		if (before != null && before.type().isShared() == head.isShared()) {
			return before.tenure();
		}
		if (registers) {
			// The new one takes its place among the waiting.
			this.registered = null;
		}
		return engine.commands().nextTenure();
	}

	/** An answer has come, or the lock without one. */
	void answered() {
		this.state = State.IDLE;
		this.answers++;
		this.registering = null;
	}

	/**
	 * Tell of a release that was answered. If a question went along with it, after the
	 * answer to that, which comes at the same moment: whom the lock is granted to need
	 * not wait until the thread that has released it is woken.
	 */
	void tell(Release command, Runnable news, Effects effects) {
		if (isAsking() && wasFollowed(command)) {
			this.postponed.add(news);
		}
		else {
			effects.add(news);
		}
	}

	/** Whether a question was sent before this was answered. */
	private boolean wasFollowed(Release command) {
		return command.intent() == Intent.RETURN && this.followed > 0;
	}

	/** Tell what had to wait for an answer. */
	void tellPostponed(Effects effects) {
		this.postponed.forEach(effects::add);
		this.postponed.clear();
	}

	/**
	 * The question has failed: ask again after a pause, for the same place. Since when
	 * this client is registered, if it is yet, is not known any more.
	 */
	void pause() {
		this.registeredAt = null;
		this.pauseNanos = Math.max(FIRST_PAUSE_NANOS, Math.min(2 * this.pauseNanos, LAST_PAUSE_NANOS));
		sleep(jittered(this.pauseNanos));
	}

	/** The backend answers. */
	void endPauses() {
		this.pauseNanos = 0;
	}

	/** Whether it has heard since it asked last that the lock may be free, or its own. */
	boolean wasWoken() {
		return this.woken;
	}

	void granted() {
		this.place = OptionalLong.empty();
		this.registered = null;
		if (!this.returning) {
			this.returns = 0;
			this.since = System.nanoTime();
		}
		this.returning = false;
	}

	/** The tenure that was asked for has ended. */
	void cancelled() {
		this.registered = null;
	}

	/** A tenure is being ended, and must not be asked for again. */
	void ending(TenureId tenure) {
		if (isRegisteredWith(tenure)) {
			this.registered = null;
		}
	}

	/** Take the place among the waiting, and sleep there if anybody here waits. */
	void refused(Acquire command, Moment start, Refused refused, boolean anyoneWaits) {
		// If that was the tenure that is just being released, nobody has been woken yet.
		this.returning = this.returning && this.followed > 0;
		if (!command.waits()) {
			// Where it was before: perhaps among the waiting, for one who has gone.
			return;
		}
		place(refused.place());
		register(command, start, refused.micros());
		long expiry = refused.holder().remainingLease().toNanos() + AFTER_EXPIRY_NANOS;
		sleepIfPlaced(anyoneWaits, expiry);
	}

	/**
	 * Begin to give a tenure back. If this JVM returns, and commands are carried out in
	 * the order in which they are sent, the next question need not wait for the answer:
	 * {@link #isIdle()} then.
	 */
	Release release(Tenure ending, WaitQueue queue, Engine engine) {
		this.state = State.RELEASING;
		this.woken = false;
		Waiter head = queue.head();
		this.returning = queue.anyoneWaits() && head != null && mayReturn(head, ending, engine);
		Intent intent = intent(queue.anyoneWaits());
		Acquire next = (intent == Intent.YIELD && head != null) ? acquire(head, engine, true) : null;
		this.registering = next;
		if (intent == Intent.RETURN && engine.commands().keepOrder()) {
			this.state = State.IDLE;
			this.followed++;
		}
		return new Release(ending.name(), ending.id(), intent, next);
	}

	private boolean mayReturn(Waiter head, Tenure ending, Engine engine) {
		if (!head.mayOvertake()) {
			// Readers and fair requests would be sent behind, or past, those who are not
			// woken, who may be there although nobody has told of them yet.
			return false;
		}
		if (!ending.demand().isRemote() && engine.commands().isListening()) {
			// Nobody waits elsewhere, for all that is known here.
			this.returns = 0;
			this.since = System.nanoTime();
			return true;
		}
		this.returns++;
		return this.returns <= RETURNS && !ending.demand().isSpent()
				&& System.nanoTime() - this.since < LONGEST_RETURN_NANOS;
	}

	private Intent intent(boolean anyoneWaits) {
		if (!anyoneWaits) {
			return Intent.LEAVE;
		}
		return this.returning ? Intent.RETURN : Intent.YIELD;
	}

	void released(Release command, Moment start, Release.@Nullable Reply reply, boolean anyoneWaits) {
		if (wasFollowed(command)) {
			this.followed--;
			if (isAsleep()) {
				// The question came first after all, and was refused.
				stopRecheck();
				this.state = State.IDLE;
			}
			return;
		}
		this.state = State.IDLE;
		this.registering = null;
		if (reply != null) {
			place(reply.place());
			if (command.next() != null) {
				register(command.next(), start, clockAt(this.place.orElse(0), command.next()));
			}
			sleepIfPlaced(anyoneWaits, Long.MAX_VALUE);
		}
		else if (command.next() != null && command.next().takesOffers() && !this.woken) {
			// It may be registered all the same; nobody knows since when.
			this.registered = command.next();
			this.registeredAt = null;
		}
	}

	/**
	 * What the backend's clock showed when it gave out a place: a fair request has its
	 * place as long before that as it has waited.
	 */
	private static long clockAt(long place, Acquire command) {
		Waiting waiting = command.waiting();
		if (waiting == null || command.type() != LockType.FAIR) {
			return place;
		}
		return place + waiting.waited().toNanos() / 1000;
	}

	private void place(OptionalLong place) {
		this.place = place;
		this.placed = this.asker;
	}

	private void register(Acquire command, Moment start, long micros) {
		this.registered = (this.place.isPresent() && command.takesOffers()) ? command : null;
		this.registeredAt = start;
		this.registeredMicros = micros;
	}

	private void sleepIfPlaced(boolean anyoneWaits, long longestNanos) {
		if (this.place.isPresent() && anyoneWaits && !this.woken) {
			long recheckNanos = this.listening.getAsBoolean() ? RECHECK_NANOS : RECHECK_UNHEARD_NANOS;
			sleep(Math.min(longestNanos, jittered(recheckNanos)));
		}
	}

	private void sleep(long nanos) {
		this.state = State.ASLEEP;
		this.recheckTask = this.timer.in(nanos, this.recheck);
	}

	private static long jittered(long nanos) {
		return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
	}

	/**
	 * Whether a command is under way that may leave this JVM waiting with a tenure, or
	 * give it: it must not be ended, since the answer may be that it is granted, or it
	 * may be asked for again.
	 */
	boolean isRegistering(TenureId tenure) {
		return this.registering != null && this.registering.tenure().equals(tenure);
	}

	/** Whether this JVM waits with a tenure, which only ends when it is ended. */
	boolean isRegisteredWith(TenureId tenure) {
		return this.registered != null && this.registered.tenure().equals(tenure);
	}

	/**
	 * Take the tenure it is registered with, which was granted by a message.
	 * @return what it was asked for with, or {@code null} if an answer is on its way
	 */
	@Nullable Acquire take() {
		Acquire command = this.registered;
		if (!isAsleep() || command == null) {
			return null;
		}
		stopRecheck();
		answered();
		return command;
	}

	/**
	 * The lease of an offer, counted by the local clock: from the time when the tenure
	 * was asked for, and what the backend's clock has advanced from its answer until the
	 * grant. However late the message is, it does not count from its arrival.
	 * @return {@code null} if the clocks do not agree, or no more than half is left: then
	 * the machine is so busy that the rest might end before it is confirmed
	 */
	@Nullable Lease leaseOf(Offer offer) {
		Moment asked = this.registeredAt;
		long waitedMicros = offer.micros() - this.registeredMicros;
		if (asked == null || waitedMicros < 0) {
			return null;
		}
		Lease lease = Lease.of(asked, Duration.ofNanos(waitedMicros * 1000), offer.lease());
		boolean ahead = lease.start().nanos() - System.nanoTime() > 0;
		return (ahead || lease.remainingNanos() <= lease.usableNanos() / 2) ? null : lease;
	}

	/** The lock may be free; {@code true} if it is time to ask. */
	boolean wake() {
		this.woken = true;
		return isAsleep();
	}

	/**
	 * Nobody here waits any more.
	 * @return what is to be ended, since others may have to be woken, or this client has
	 * a place among them; {@code null} if there is nothing
	 */
	@Nullable TenureId leave(Engine engine) {
		stopRecheck();
		boolean placed = this.place.isPresent() || this.returning;
		Acquire command = this.registered;
		this.place = OptionalLong.empty();
		this.registered = null;
		this.pauseNanos = 0;
		this.state = State.IDLE;
		if (command != null) {
			return command.tenure();
		}
		return placed ? engine.commands().noTenure() : null;
	}

	private void stopRecheck() {
		if (this.recheckTask != null) {
			this.recheckTask.cancel();
			this.recheckTask = null;
		}
	}

	private enum State {

		/** Nothing is under way. */
		IDLE,
		/** An acquire is on its way. */
		ASKING,
		/** Registered as waiting; a wake-up or the re-check asks again. */
		ASLEEP,
		/** A release is on its way. */
		RELEASING

	}

}
