package io.lockstarter.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;

import io.lockstarter.core.LockMonitor;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of one instance.
 *
 * @param held the locks it holds
 * @param waiting the requests that wait
 */
public record LocksDescriptor(List<HeldLockDescriptor> held,
		List<WaitingLockDescriptor> waiting) implements OperationResponseBody {

	/**
	 * Describe the locks of a monitor, with their names.
	 * @param monitor whose locks to describe
	 * @return all that it holds or waits for
	 */
	public static LocksDescriptor of(LockMonitor monitor) {
		return of(monitor, (name, group) -> true, ShownNames.ALL);
	}

	static LocksDescriptor of(LockMonitor monitor, BiPredicate<String, String> wanted, ShownNames names) {
		String instance = monitor.instance();
		List<HeldLockDescriptor> held = monitor.held()
			.stream()
			.filter((lock) -> wanted.test(lock.name(), lock.metricName()))
			.map((lock) -> HeldLockDescriptor.of(lock, instance, names))
			.toList();
		List<WaitingLockDescriptor> waiting = monitor.waiting()
			.stream()
			.filter((lock) -> wanted.test(lock.name(), lock.metricName()))
			.map((lock) -> WaitingLockDescriptor.of(lock, instance, names))
			.toList();
		return new LocksDescriptor(held, waiting);
	}

	boolean isEmpty() {
		return this.held.isEmpty() && this.waiting.isEmpty();
	}

	/**
	 * A lock that is held.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type its type, in lower case
	 * @param instance what other instances see as the holder
	 * @param owner who holds it
	 * @param holds the hold count
	 * @param since when it was acquired
	 * @param heldForMillis for how many milliseconds it has been held
	 * @param fencingToken the hold's token; text because browsers round large numbers
	 * @param deadline when the lease ends if it is not renewed
	 * @param remainingLeaseMillis how many milliseconds the lease still lasts
	 * @param watchdog what the watchdog does for it, in lower case
	 * @param permits how many may hold it at a time
	 */
	public record HeldLockDescriptor(String name, String group, String type, String instance, String owner, int holds,
			Instant since, long heldForMillis, String fencingToken, Instant deadline, long remainingLeaseMillis,
			String watchdog, int permits) {

		private static HeldLockDescriptor of(LockMonitor.Held lock, String instance, ShownNames names) {
			return new HeldLockDescriptor(names.of(lock.metricName(), lock.name()), lock.metricName(),
					lock.type().tag(), instance, lock.owner().toString(), lock.holdCount(), lock.since(),
					lock.heldFor().toMillis(), Long.toString(lock.fencingToken()), Deadlines.in(lock.remainingLease()),
					lock.remainingLease().toMillis(), lock.renewal().name().toLowerCase(Locale.ROOT), lock.permits());
		}

	}

	/**
	 * A request that waits.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type the lock's type, in lower case
	 * @param instance the instance that waits
	 * @param owner who wants it
	 * @param since since when, the same at each look
	 * @param waitedMillis for how many milliseconds
	 * @param position the place in this instance's queue for the lock, from 1
	 * @param permits how many may hold it at a time
	 */
	public record WaitingLockDescriptor(String name, String group, String type, String instance, String owner,
			Instant since, long waitedMillis, int position, int permits) {

		private static WaitingLockDescriptor of(LockMonitor.Waiting request, String instance, ShownNames names) {
			return new WaitingLockDescriptor(names.of(request.metricName(), request.name()), request.metricName(),
					request.type().tag(), instance, request.owner().toString(), request.since(),
					request.waited().toMillis(), request.position(), request.permits());
		}

	}

}
