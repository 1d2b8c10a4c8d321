package io.lockstarter.engine.lock;

import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * How this JVM stands with the backend for one name. The shares of readers are apart from
 * that: beside them another request may be asked for.
 */
sealed interface RemoteState {

	/** The only one of its kind. */
	RemoteState IDLE = new Idle();

	/**
	 * Nothing is held, asked for or registered.
	 */
	record Idle() implements RemoteState {
	}

	/**
	 * An acquire is on its way.
	 *
	 * @param command the acquire
	 * @param asker the request it was sent for
	 * @param registration what this JVM is registered with; {@code null} if it is not
	 * @param since when it was asked
	 * @param woken whether the lock may have become free meanwhile
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
	 * This JVM waits for its turn, or for the end of an outage. A wake-up, a direct grant
	 * or the re-check ends that.
	 *
	 * @param registration what this JVM is registered with; {@code null} if it is not
	 * @param asker the request that was refused; {@code null} if it is time to ask again
	 */
	record Waiting(@Nullable Registration registration, @Nullable Waiter asker) implements RemoteState {

		/** Whether the refusal is one for the request at the head of the queue. */
		boolean isFor(Waiter head) {
			return head.isFair() ? this.asker == head : this.asker != null && this.asker.hasTermsLike(head);
		}

	}

	/**
	 * The lock is held and excludes all others. While nobody here holds it, it is on
	 * offer.
	 *
	 * @param tenure the tenure
	 */
	record Held(Tenure tenure) implements RemoteState {
	}

	/**
	 * The one who wrote only reads on, and the backend has not confirmed that yet.
	 *
	 * @param tenure the tenure
	 */
	record Downgrading(Tenure tenure) implements RemoteState {
	}

	/**
	 * A release is on its way.
	 *
	 * @param command the release
	 * @param asker the request for which this JVM registers in the same trip, if any
	 * @param woken whether the lock may have become free meanwhile
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
