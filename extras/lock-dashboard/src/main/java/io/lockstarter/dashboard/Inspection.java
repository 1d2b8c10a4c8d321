package io.lockstarter.dashboard;

import java.util.List;
import java.util.Objects;

import io.lockstarter.core.LockMonitor.HolderSnapshot;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What one instance has found in the backend, for all that watch.
 *
 * @param ageMillis how long ago it began to look
 * @param failure why the backend does not answer, or {@code null} if it does
 * @param refusal why the backend answers, but grants no lock, or {@code null} if it does
 * @param messages what keeps messages from coming, or {@code null} if they come
 * @param limitation why locks cannot be listed, or {@code null} if they can
 * @param locks the locks that no instance has reported
 */
record Inspection(long ageMillis, @Nullable String failure, @Nullable String refusal, @Nullable String messages,
		@Nullable String limitation, List<SeenLock> locks) {

	Inspection aged(long millis) {
		return new Inspection(millis, this.failure, this.refusal, this.messages, this.limitation, this.locks);
	}

	/** Whether it says something else about the backend as a whole. */
	boolean differsFrom(@Nullable Inspection other) {
		return other == null || !Objects.equals(this.failure, other.failure)
				|| !Objects.equals(this.refusal, other.refusal) || !Objects.equals(this.messages, other.messages);
	}

	/**
	 * A lock as the backend has it.
	 *
	 * @param name the lock's name
	 * @param ageMillis how long before the inspection's beginning it was looked at
	 * @param holders who holds it
	 * @param requests how many requests wait for it
	 * @param clients how many instances these are of
	 */
	record SeenLock(String name, long ageMillis, List<SeenHolder> holders, int requests, int clients) {

		static SeenLock of(LockSnapshot lock) {
			return new SeenLock(lock.name(), 0, lock.holders().stream().map(SeenHolder::of).toList(), lock.waiting(),
					lock.waitingInstances());
		}

		SeenLock aged(long millis) {
			return new SeenLock(this.name, millis, this.holders, this.requests, this.clients);
		}

	}

	/**
	 * A holder as the backend has it, which does not know of its threads.
	 *
	 * @param instance the instance
	 * @param token the lowest fencing token that it may have
	 * @param permits how many may hold the lock at a time
	 * @param heldMillis for how long the instance has had it
	 * @param leaseMillis how long the lease still lasts
	 */
	record SeenHolder(String instance, String token, int permits, long heldMillis, long leaseMillis) {

		private static SeenHolder of(HolderSnapshot seen) {
			return new SeenHolder(seen.holder().label().split("/", 2)[0], Long.toString(seen.fencingToken()),
					seen.permits(), seen.holder().heldFor().toMillis(), seen.holder().remainingLease().toMillis());
		}

	}

}
