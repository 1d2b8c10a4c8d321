package io.lockstarter.fence;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that holds of this JVM have registered, so that a hold is not refused because of
 * its own token when its owner re-enters. A token that another hold has registered is
 * refused even if the two are equal, because Redis can grant the same token twice after a
 * loss of data. All handles of a hold share the same owner instance.
 */
final class Registrations {

	private final Map<String, Registration> byRow = new ConcurrentHashMap<>();

	private final ReferenceQueue<LockOwner> gone = new ReferenceQueue<>();

	void add(String row, LockHandle lock) {
		for (Reference<?> over = this.gone.poll(); over != null; over = this.gone.poll()) {
			this.byRow.remove(((Registration) over).row, over);
		}
		this.byRow.put(row, new Registration(row, lock, this.gone));
	}

	boolean contains(String row, LockHandle lock) {
		return find(row, lock) != null;
	}

	/** Returns the time since a hold was registered, or zero if it is not registered. */
	Duration age(String row, LockHandle lock) {
		Registration known = find(row, lock);
		return (known != null) ? known.age() : Duration.ZERO;
	}

	private @Nullable Registration find(String row, LockHandle lock) {
		Registration known = this.byRow.get(row);
		return (known != null && known.token == lock.fencingToken() && known.refersTo(lock.owner())) ? known : null;
	}

	/**
	 * Removes old registrations, because owners that still exist may have used any number
	 * of locks.
	 */
	void forgetOlderThan(Duration age) {
		this.byRow.values().removeIf((known) -> known.age().compareTo(age) > 0);
	}

	private static final class Registration extends WeakReference<LockOwner> {

		private final String row;

		private final long token;

		private final long since = System.nanoTime();

		Registration(String row, LockHandle lock, ReferenceQueue<LockOwner> gone) {
			super(lock.owner(), gone);
			this.row = row;
			this.token = lock.fencingToken();
		}

		Duration age() {
			return Duration.ofNanos(System.nanoTime() - this.since);
		}

	}

}
