package io.lockstarter.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * Lists the locks this instance holds or waits for.
 */
// What is more than looking must be asked for twice: by a property and by access.
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	private final LockMonitor monitor;

	/**
	 * List the locks of a monitor.
	 * @param monitor whose locks to list
	 */
	public LocksEndpoint(LockMonitor monitor) {
		this.monitor = monitor;
	}

	/**
	 * List all locks.
	 * @return the locks held and waited for
	 */
	@ReadOperation
	public LocksDescriptor locks() {
		return describe((name) -> true);
	}

	/**
	 * List one lock.
	 * @param name the lock's name, of which each part between slashes is an element
	 * @return the holds of that lock and the requests for it, or {@code null} if there is
	 * none
	 */
	@ReadOperation
	public @Nullable LocksDescriptor lock(@Selector(match = Match.ALL_REMAINING) String[] name) {
		LocksDescriptor locks = describe(String.join("/", name)::equals);
		return locks.isEmpty() ? null : locks;
	}

	private LocksDescriptor describe(Predicate<String> wanted) {
		List<HeldLockDescriptor> held = this.monitor.held()
			.stream()
			.filter((lock) -> wanted.test(lock.name()))
			.map(HeldLockDescriptor::of)
			.toList();
		List<WaitingLockDescriptor> waiting = this.monitor.waiting()
			.stream()
			.filter((lock) -> wanted.test(lock.name()))
			.map(WaitingLockDescriptor::of)
			.toList();
		return new LocksDescriptor(held, waiting);
	}

	/**
	 * The locks of this instance.
	 *
	 * @param held the locks it holds
	 * @param waiting the requests that wait
	 */
	public record LocksDescriptor(List<HeldLockDescriptor> held,
			List<WaitingLockDescriptor> waiting) implements OperationResponseBody {

		private boolean isEmpty() {
			return this.held.isEmpty() && this.waiting.isEmpty();
		}

	}

	/**
	 * A lock that is held.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type its type, in lower case
	 * @param owner who holds it
	 * @param holds the hold count
	 * @param since when it was acquired
	 * @param fencingToken the hold's token; text because browsers round large numbers
	 * @param remainingLeaseMillis how many milliseconds the lease still lasts
	 * @param watchdog what the watchdog does for it, in lower case
	 */
	public record HeldLockDescriptor(String name, String group, String type, String owner, int holds, Instant since,
			String fencingToken, long remainingLeaseMillis, String watchdog) {

		private static HeldLockDescriptor of(LockMonitor.Held lock) {
			return new HeldLockDescriptor(lock.name(), lock.group(), lock.type().tag(), lock.owner(), lock.holds(),
					lock.since(), Long.toString(lock.fencingToken()), lock.remainingLease().toMillis(),
					lock.watchdog().name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * A request that waits.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type the lock's type, in lower case
	 * @param owner who wants it
	 * @param since since when
	 * @param position the place in this instance's queue for the lock, from 1
	 */
	public record WaitingLockDescriptor(String name, String group, String type, String owner, Instant since,
			int position) {

		private static WaitingLockDescriptor of(LockMonitor.Waiting request) {
			return new WaitingLockDescriptor(request.name(), request.group(), request.type().tag(), request.owner(),
					request.since(), request.position());
		}

	}

}
