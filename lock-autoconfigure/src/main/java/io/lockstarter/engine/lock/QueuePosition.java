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
 * Queue position of this JVM among the instances that wait for a lock.
 *
 * @param score the position itself, a time by the backend's clock in microseconds
 * @param requester the request that the position was assigned to
 * @param command the request that a message may grant, or {@code null} if none
 * @param sentAt the moment before the request was sent that assigned the position
 * @param serverMicros the time by the backend's clock at which it assigned the position,
 * in microseconds
 */
public record QueuePosition(long score, Waiter requester, @Nullable Acquire command, Moment sentAt, long serverMicros) {

	/**
	 * Returns the queue position that a reply has assigned.
	 * @return the position, or {@code null} if the reply contains none
	 */
	static @Nullable QueuePosition of(OptionalLong score, Waiter requester, Acquire command, Moment sentAt,
			long serverMicros) {
		if (score.isEmpty()) {
			return null;
		}
		return new QueuePosition(score.getAsLong(), requester, command.acceptsDirectGrant() ? command : null, sentAt,
				serverMicros);
	}

	/**
	 * Returns the queue position of a reply that omits the backend's time. The time is
	 * calculated from the score: that of a fair request is the backend's time less the
	 * time already waited, that of any other request is the backend's time.
	 */
	static @Nullable QueuePosition of(OptionalLong score, Waiter requester, Acquire command, Moment sentAt) {
		Waiting waiting = command.waiting();
		long waitedMicros = (waiting != null && command.type() == LockType.FAIR) ? waiting.waited().toNanos() / 1000
				: 0;
		return of(score, requester, command, sentAt, score.orElse(0) + waitedMicros);
	}

	/** Returns the tenure that a message may grant, or {@code null} if none. */
	@Nullable TenureId tenure() {
		return (this.command != null) ? this.command.tenure() : null;
	}

	/** Returns whether a grant by message refers to this position. */
	boolean isFor(TenureId tenure) {
		return this.command != null && this.command.tenure().equals(tenure);
	}

	/**
	 * Returns whether the tenure that waits at this position cannot be used for the head
	 * of the queue. A fair request must not get a grant for the queue position of another
	 * request.
	 */
	boolean isUselessFor(Waiter head) {
		return this.command != null
				&& (!this.requester.hasOptionsLike(head) || (head.isFair() && this.requester != head));
	}

	/**
	 * Returns the score for the head of the queue, or none for a fair request that has a
	 * position of its own.
	 */
	OptionalLong scoreFor(Waiter head) {
		return (head.isFair() && this.requester != head) ? OptionalLong.empty() : OptionalLong.of(this.score);
	}

	/** Returns the position without its tenure, which has ended. */
	QueuePosition withoutTenure() {
		return new QueuePosition(this.score, this.requester, null, this.sentAt, this.serverMicros);
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
	 * Returns whether a request arrived after the request was sent that assigned the
	 * position. The backend may have lost its data in between, so the request is sent
	 * again and confirms the tenure.
	 */
	boolean isBefore(Waiter head) {
		return head != this.requester && this.requester.hasOptionsLike(head) && !head.cameBefore(this.sentAt);
	}

}
