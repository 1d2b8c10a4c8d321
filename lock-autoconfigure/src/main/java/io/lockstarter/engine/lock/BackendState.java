package io.lockstarter.engine.lock;

import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * State of the exchange between this JVM and the backend about one name. Shared tenures
 * are not part of it, because another request may be in flight at the same time.
 */
sealed interface BackendState {

	/** Only instance of the idle state. */
	BackendState IDLE = new Idle();

	/**
	 * Idle: nothing is held, requested or waited for.
	 */
	record Idle() implements BackendState {
	}

	/**
	 * Acquire request in flight.
	 *
	 * @param command the command
	 * @param requester the request for which the command was sent
	 * @param position the queue position of this JVM, or {@code null} if it has none
	 * @param since the moment at which the command was sent
	 * @param woken whether the lock may have become free in the meantime
	 */
	record Requesting(Acquire command, Waiter requester, @Nullable QueuePosition position, Moment since,
			boolean woken) implements BackendState {

		boolean isFor(TenureId tenure) {
			return this.command.tenure().equals(tenure);
		}

		Requesting wake() {
			return new Requesting(this.command, this.requester, this.position, this.since, true);
		}

	}

	/**
	 * Wait for the turn of this JVM, or for the end of an outage. A wake-up, a direct
	 * grant or a recheck ends it.
	 *
	 * @param position the queue position of this JVM, or {@code null} if it has none
	 * @param requester the request that was refused, or {@code null} if the next acquire
	 * request is due
	 */
	record Waiting(@Nullable QueuePosition position, @Nullable Waiter requester) implements BackendState {

		/** Returns whether the refusal applies to the head of the queue. */
		boolean isFor(Waiter head) {
			return head.isFair() ? this.requester == head
					: this.requester != null && this.requester.hasOptionsLike(head);
		}

	}

	/**
	 * Exclusive tenure. It may be unheld for a short time.
	 *
	 * @param tenure the tenure
	 */
	record Held(Tenure tenure) implements BackendState {
	}

	/**
	 * Tenure of a writer who continues as a reader, which the backend has not confirmed.
	 *
	 * @param tenure the tenure
	 */
	record Downgrading(Tenure tenure) implements BackendState {
	}

	/**
	 * Release in flight.
	 *
	 * @param command the release
	 * @param requester the request that the same command registers, or {@code null}
	 * @param woken whether the lock may have become free in the meantime
	 */
	record Releasing(Release command, @Nullable Waiter requester, boolean woken) implements BackendState {

		boolean isFor(TenureId tenure) {
			Acquire next = this.command.next();
			return next != null && next.tenure().equals(tenure);
		}

		Releasing wake() {
			return new Releasing(this.command, this.requester, true);
		}

	}

}
