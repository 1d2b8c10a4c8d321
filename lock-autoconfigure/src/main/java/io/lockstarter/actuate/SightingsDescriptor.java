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
 * @param next what to begin the next page from, or {@code null} if this is the last
 * @param limitation why only locks that this instance knows are shown, or {@code null} if
 * all are
 */
public record SightingsDescriptor(List<SightingDescriptor> locks, @Nullable String next,
		@Nullable String limitation) implements OperationResponseBody {

	static SightingsDescriptor of(LockMonitor.LockPage page, ShownNames names) {
		return new SightingsDescriptor(page.locks().stream().map((lock) -> SightingDescriptor.of(lock, names)).toList(),
				page.next().isEmpty() ? null : page.next(), page.note());
	}

	/**
	 * A lock, whichever instance holds it.
	 *
	 * @param name the lock's name
	 * @param holders who holds it: one, or several readers or owners of permits
	 * @param waiting how many requests wait for it
	 * @param waitingInstances how many instances they are of
	 * @param waitingSince since when the first instance has its place, or {@code null} if
	 * nobody waits
	 */
	public record SightingDescriptor(String name, List<SightedHolderDescriptor> holders, int waiting,
			int waitingInstances, @Nullable Instant waitingSince) implements OperationResponseBody {

		static SightingDescriptor of(LockMonitor.LockSnapshot lock, ShownNames names) {
			return new SightingDescriptor(names.of(lock.name()),
					lock.holders().stream().map(SightedHolderDescriptor::of).toList(), lock.waiting(),
					lock.waitingInstances(), lock.waitingSince());
		}

	}

	/**
	 * Holder of a lock.
	 *
	 * @param instance the instance that holds it
	 * @param owner instance, and the owner there that began to hold it
	 * @param since since when the instance has had it, by the backend's clock
	 * @param heldForMillis for how many milliseconds the instance has had it
	 * @param deadline when the lease ends if it is not renewed
	 * @param remainingLeaseMillis how many milliseconds the lease still lasts
	 * @param fencingToken the lowest token that the holder may have; text because
	 * browsers round large numbers
	 * @param permits how many may hold the lock at a time, as this holder has asked
	 */
	public record SightedHolderDescriptor(String instance, String owner, Instant since, long heldForMillis,
			Instant deadline, long remainingLeaseMillis, String fencingToken, int permits) {

		private static SightedHolderDescriptor of(LockMonitor.HolderSnapshot seen) {
			Holder holder = seen.holder();
			return new SightedHolderDescriptor(holder.label().split("/", 2)[0], holder.label(), seen.since(),
					holder.heldFor().toMillis(), Deadlines.in(holder.remainingLease()),
					holder.remainingLease().toMillis(), Long.toString(seen.fencingToken()), seen.permits());
		}

	}

}
