package io.lockstarter.actuate;

import java.util.List;

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
	 * @param waiting how many instances wait for it
	 */
	public record SightingDescriptor(String name, List<SightedHolderDescriptor> holders,
			int waiting) implements OperationResponseBody {

		static SightingDescriptor of(LockMonitor.LockSnapshot lock, ShownNames names) {
			return new SightingDescriptor(names.of(lock.name()),
					lock.holders().stream().map(SightedHolderDescriptor::of).toList(), lock.waiting());
		}

	}

	/**
	 * Who holds a lock.
	 *
	 * @param owner instance, and the owner there that began to hold it
	 * @param heldForMillis for how many milliseconds the instance has had it
	 * @param remainingLeaseMillis how many milliseconds the lease still lasts
	 * @param fencingToken the lowest token that the holder may have; text because
	 * browsers round large numbers
	 * @param permits how many may hold the lock at a time, as this holder has asked
	 */
	public record SightedHolderDescriptor(String owner, long heldForMillis, long remainingLeaseMillis,
			String fencingToken, int permits) {

		private static SightedHolderDescriptor of(LockMonitor.HolderSnapshot seen) {
			return new SightedHolderDescriptor(seen.holder().label(), seen.holder().heldFor().toMillis(),
					seen.holder().remainingLease().toMillis(), Long.toString(seen.fencingToken()), seen.permits());
		}

	}

}
