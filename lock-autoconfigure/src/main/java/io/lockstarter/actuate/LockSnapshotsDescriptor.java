package io.lockstarter.actuate;

import java.time.Instant;
import java.util.List;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Locks of all instances.
 *
 * @param locks the locks that are held
 * @param next the start of the next page, or {@code null} if this is the last
 * @param limitation the reason why only locks that this instance knows are shown, or
 * {@code null} if all are
 */
public record LockSnapshotsDescriptor(List<LockSnapshotDescriptor> locks, @Nullable String next,
		@Nullable String limitation) implements OperationResponseBody {

	static LockSnapshotsDescriptor of(LockMonitor.LockPage page, ShownNames names) {
		return new LockSnapshotsDescriptor(
				page.locks().stream().map((lock) -> LockSnapshotDescriptor.of(lock, names)).toList(),
				page.next().isEmpty() ? null : page.next(), page.note());
	}

	/**
	 * Lock that any instance holds.
	 *
	 * @param name the lock's name
	 * @param holders its holders: one, or several readers or owners of permits
	 * @param waiting the number of requests that wait for it
	 * @param waitingInstances the number of instances with such requests
	 * @param waitingSince the start of the first instance's wait, or {@code null} if no
	 * request waits
	 */
	public record LockSnapshotDescriptor(String name, List<HolderSnapshotDescriptor> holders, int waiting,
			int waitingInstances, @Nullable Instant waitingSince) implements OperationResponseBody {

		static LockSnapshotDescriptor of(LockMonitor.LockSnapshot lock, ShownNames names) {
			return new LockSnapshotDescriptor(names.of(lock.name()),
					lock.holders().stream().map(HolderSnapshotDescriptor::of).toList(), lock.waiting(),
					lock.waitingInstances(), lock.waitingSince());
		}

	}

	/**
	 * Holder of a lock.
	 *
	 * @param instance the instance that holds it
	 * @param owner the instance, and the owner there that acquired the lock
	 * @param since the start of the instance's tenure, by the backend's clock
	 * @param heldForMillis the time since then, in milliseconds
	 * @param deadline the end of the lease if it is not renewed
	 * @param remainingLeaseMillis the remaining time of the lease, in milliseconds
	 * @param fencingToken the lowest token that the holder may have, as text because
	 * browsers round large numbers
	 * @param permits the number of owners that may hold the lock at a time, as this
	 * holder has requested
	 */
	public record HolderSnapshotDescriptor(String instance, String owner, Instant since, long heldForMillis,
			Instant deadline, long remainingLeaseMillis, String fencingToken, int permits) {

		private static HolderSnapshotDescriptor of(LockMonitor.HolderSnapshot seen) {
			Holder holder = seen.holder();
			return new HolderSnapshotDescriptor(holder.label().split("/", 2)[0], holder.label(), seen.since(),
					holder.heldFor().toMillis(), Deadlines.in(holder.remainingLease()),
					holder.remainingLease().toMillis(), Long.toString(seen.fencingToken()), seen.permits());
		}

	}

}
