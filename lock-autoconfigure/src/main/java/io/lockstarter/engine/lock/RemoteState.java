package io.lockstarter.engine.lock;

import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * State of the exchange between this JVM and the backend about one name. Shared tenures
 * are not part of it, because another request may be in flight beside them.
 */
sealed interface RemoteState {

	/** Only instance of the idle state. */
	RemoteState IDLE = new Idle();

	/**
	 * Idle: nothing is held, requested or registered.
	 */
	record Idle() implements RemoteState {
	}

	/**
	 * Acquire request in flight.
	 *
	 * @param command the command
	 * @param asker the request for which the command was sent
	 * @param registration the registration of this JVM, or {@code null} if there is none
	 * @param since the moment at which the command was sent
	 * @param woken whether the lock may have become free in the meantime
	 */
	record Asking(Acquire command, Waiter asker, @Nullable Registration registration, Moment since,
			boolean woken) implements RemoteState {

		boolean isFor(TenureId tenure) {
			return this.command.tenure().equals(tenure);
		}

		Asking wake() {
			return new Asking(this.command, this.asker, this.registration, this.since, true);
		}

	}

	/**
	 * Wait for the turn of this JVM, or for the end of an outage. A wake-up, a direct
	 * grant or a recheck ends it.
	 *
	 * @param registration the registration of this JVM, or {@code null} if there is none
	 * @param asker the request that was refused, or {@code null} if the next acquire
	 * request is due
	 */
	record Waiting(@Nullable Registration registration, @Nullable Waiter asker) implements RemoteState {

		/** Returns whether the refusal applies to the head of the queue. */
		boolean isFor(Waiter head) {
			return head.isFair() ? this.asker == head : this.asker != null && this.asker.hasTermsLike(head);
		}

	}

	/**
	 * Exclusive tenure. It may be unheld for a short time.
	 *
	 * @param tenure the tenure
	 */
	record Held(Tenure tenure) implements RemoteState {
	}

	/**
	 * Tenure of a writer who continues as a reader, which the backend has not confirmed.
	 *
	 * @param tenure the tenure
	 */
	record Downgrading(Tenure tenure) implements RemoteState {
	}

	/**
	 * Release in flight.
	 *
	 * @param command the release
	 * @param asker the request that the same command registers, or {@code null}
	 * @param woken whether the lock may have become free in the meantime
	 */
	record Releasing(Release command, @Nullable Waiter asker, boolean woken) implements RemoteState {

		boolean isFor(TenureId tenure) {
			Acquire next = this.command.next();
			return next != null && next.tenure().equals(tenure);
		}

		Releasing wake() {
			return new Releasing(this.command, this.asker, true);
		}

	}

}
