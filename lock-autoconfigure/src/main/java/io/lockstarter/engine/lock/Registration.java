package io.lockstarter.engine.lock;

import java.util.OptionalLong;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM is registered with among the instances that wait for a lock.
 *
 * @param place its place among them, a time by the backend's clock in microseconds
 * @param placed the request for which the place was given
 * @param command what may be granted to it by a message; {@code null} if nothing may
 * @param sentAt the moment before the request was sent that has registered it
 * @param serverMicros what the backend's clock showed when it registered that request
 */
public record Registration(long place, Waiter placed, @Nullable Acquire command, Moment sentAt, long serverMicros) {

	/**
	 * A command was answered by a place.
	 * @return {@code null} if it was not
	 */
	static @Nullable Registration of(OptionalLong place, Waiter placed, Acquire command, Moment sentAt,
			long serverMicros) {
		if (place.isEmpty()) {
			return null;
		}
		return new Registration(place.getAsLong(), placed, command.acceptsDirectGrant() ? command : null, sentAt,
				serverMicros);
	}

	/**
	 * The same if the answer does not tell the backend's clock: a place is what the clock
	 * showed, for a fair request less the time that it had waited.
	 */
	static @Nullable Registration of(OptionalLong place, Waiter placed, Acquire command, Moment sentAt) {
		Waiting waiting = command.waiting();
		long waitedMicros = (waiting != null && command.type() == LockType.FAIR) ? waiting.waited().toNanos() / 1000
				: 0;
		return of(place, placed, command, sentAt, place.orElse(0) + waitedMicros);
	}

	/** The tenure that may be granted by a message, or {@code null} if none may. */
	@Nullable TenureId tenure() {
		return (this.command != null) ? this.command.tenure() : null;
	}

	/** Whether a message that grants a tenure means this registration. */
	boolean isFor(TenureId tenure) {
		return this.command != null && this.command.tenure().equals(tenure);
	}

	/**
	 * Returns whether the tenure is of no use for the request at the head of the queue. A
	 * fair request must not get what is granted to the queue position of another.
	 */
	boolean isUselessFor(Waiter head) {
		return this.command != null && (!this.placed.hasTermsLike(head) || (head.isFair() && this.placed != head));
	}

	/** A fair request has a place of its own. */
	OptionalLong placeFor(Waiter head) {
		return (head.isFair() && this.placed != head) ? OptionalLong.empty() : OptionalLong.of(this.place);
	}

	/** The place alone: the tenure has ended. */
	Registration withoutTenure() {
		return new Registration(this.place, this.placed, null, this.sentAt, this.serverMicros);
	}

	/**
	 * Returns the lease of a grant by a message, counted from the moment at which this
	 * JVM sent the request that is granted. The backend granted it after that, however
	 * late the message is.
	 * @return {@code null} if an earlier or a later copy of the request is granted, whose
	 * grant may be over, or if no more than half of the lease is left
	 */
	public @Nullable Lease leaseOf(DirectGrant offer, Moment now) {
		if (offer.requestMicros() != this.serverMicros) {
			return null;
		}
		Lease lease = Lease.of(this.sentAt, offer.lease());
		return (lease.remainingNanos(now) <= lease.usableNanos() / 2) ? null : lease;
	}

	/**
	 * Returns whether a request has come after the one that is granted by a message was
	 * sent. The backend may have lost its memory between these two: it is asked again,
	 * and confirms the tenure.
	 */
	boolean isBefore(Waiter head) {
		return head != this.placed && this.placed.hasTermsLike(head) && !head.cameBefore(this.sentAt);
	}

}
