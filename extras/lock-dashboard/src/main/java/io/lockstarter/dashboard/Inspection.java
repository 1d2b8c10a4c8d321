package io.lockstarter.dashboard;

import java.util.List;
import java.util.Objects;

import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Result of an inspection of the backend, which one instance makes on behalf of all
 * watching instances.
 *
 * @param ageMillis the time since the inspection began
 * @param failure the reason why the backend does not reply, or {@code null} if it does
 * @param refusal the reason why the backend replies but grants no locks, or {@code null}
 * if it grants them
 * @param messages the reason why messages do not arrive, or {@code null} if they do
 * @param limitation the reason why the list of locks is incomplete, or {@code null} if it
 * is complete
 * @param locks the locks that no instance reports
 */
record Inspection(long ageMillis, @Nullable String failure, @Nullable String refusal, @Nullable String messages,
		@Nullable String limitation, List<InspectedLock> locks) {

	Inspection aged(long millis) {
		return new Inspection(millis, this.failure, this.refusal, this.messages, this.limitation, this.locks);
	}

	/** Returns whether another inspection found a different state of the backend. */
	boolean differsFrom(@Nullable Inspection other) {
		return other == null || !Objects.equals(this.failure, other.failure)
				|| !Objects.equals(this.refusal, other.refusal) || !Objects.equals(this.messages, other.messages);
	}

	/**
	 * Lock in the backend.
	 *
	 * @param name the lock's name
	 * @param ageMillis the time from reading the lock until the inspection began
	 * @param holders the holders of the lock
	 * @param requests the number of waiting requests
	 * @param clients the number of instances that sent these requests
	 */
	record InspectedLock(String name, long ageMillis, List<InspectedHolder> holders, int requests, int clients) {

		static InspectedLock of(LockSnapshot lock) {
			return new InspectedLock(lock.name(), 0, lock.holders().stream().map(InspectedHolder::of).toList(),
					lock.waiting(), lock.waitingInstances());
		}

		InspectedLock aged(long millis) {
			return new InspectedLock(this.name, millis, this.holders, this.requests, this.clients);
		}

	}

	/**
	 * Holder in the backend, which knows the instance but not the thread.
	 *
	 * @param instance the instance
	 * @param token the lowest fencing token that the holder may have
	 * @param permits the number of permits of the lock
	 * @param heldMillis the time since the instance acquired the lock
	 * @param leaseMillis the remaining lease
	 */
	record InspectedHolder(String instance, String token, int permits, long heldMillis, long leaseMillis) {

		private static InspectedHolder of(HolderSnapshot snapshot) {
			return new InspectedHolder(snapshot.holder().label().split("/", 2)[0],
					Long.toString(snapshot.fencingToken()), snapshot.permits(), snapshot.holder().heldFor().toMillis(),
					snapshot.holder().remainingLease().toMillis());
		}

	}

}
