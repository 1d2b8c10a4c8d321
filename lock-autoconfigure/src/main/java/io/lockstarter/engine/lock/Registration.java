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
 * Registration of this JVM among the instances that wait for a lock.
 *
 * @param place the queue position, a time by the backend's clock in microseconds
 * @param placed the request that the position was assigned to
 * @param command the request that a message may grant, or {@code null} if none
 * @param sentAt the moment before the registering request was sent
 * @param serverMicros the time by the backend's clock at which it registered that
 * request, in microseconds
 */
public record Registration(long place, Waiter placed, @Nullable Acquire command, Moment sentAt, long serverMicros) {

	/**
	 * Returns the registration that a reply has confirmed.
	 * @return the registration, or {@code null} if the reply contains no queue position
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
	 * Returns the registration of a reply that omits the backend's time. The time is
	 * calculated from the queue position: that of a fair request is the backend's time
	 * less the time already waited, that of any other request is the backend's time.
	 */
	static @Nullable Registration of(OptionalLong place, Waiter placed, Acquire command, Moment sentAt) {
		Waiting waiting = command.waiting();
		long waitedMicros = (waiting != null && command.type() == LockType.FAIR) ? waiting.waited().toNanos() / 1000
				: 0;
		return of(place, placed, command, sentAt, place.orElse(0) + waitedMicros);
	}

	/** Returns the tenure that a message may grant, or {@code null} if none. */
	@Nullable TenureId tenure() {
		return (this.command != null) ? this.command.tenure() : null;
	}

	/** Returns whether a grant by message refers to this registration. */
	boolean isFor(TenureId tenure) {
		return this.command != null && this.command.tenure().equals(tenure);
	}

	/**
	 * Returns whether the registered tenure cannot be used for the head of the queue. A
	 * fair request must not get a grant for the queue position of another request.
	 */
	boolean isUselessFor(Waiter head) {
		return this.command != null && (!this.placed.hasTermsLike(head) || (head.isFair() && this.placed != head));
	}

	/**
	 * Returns the queue position for the head of the queue. A fair request has a position
	 * of its own.
	 */
	OptionalLong placeFor(Waiter head) {
		return (head.isFair() && this.placed != head) ? OptionalLong.empty() : OptionalLong.of(this.place);
	}

	/** Returns the registration without its tenure, which has ended. */
	Registration withoutTenure() {
		return new Registration(this.place, this.placed, null, this.sentAt, this.serverMicros);
	}

	/**
	 * Returns the lease of a grant by message, counted from before this JVM sent the
	 * granted request. The backend granted it later, however late the message arrives.
	 * @return {@code null} if an earlier or later copy of the request was granted, whose
	 * grant may have ended, or if no more than half of the lease remains
	 */
	public @Nullable Lease leaseOf(DirectGrant offer, Moment now) {
		if (offer.requestMicros() != this.serverMicros) {
			return null;
		}
		Lease lease = Lease.of(this.sentAt, offer.lease());
		return (lease.remainingNanos(now) <= lease.usableNanos() / 2) ? null : lease;
	}

	/**
	 * Returns whether a request arrived after the registering request was sent. The
	 * backend may have lost its data in between, so the request is sent again and
	 * confirms the tenure.
	 */
	boolean isBefore(Waiter head) {
		return head != this.placed && this.placed.hasTermsLike(head) && !head.cameBefore(this.sentAt);
	}

}
