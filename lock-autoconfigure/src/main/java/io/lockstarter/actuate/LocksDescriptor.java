package io.lockstarter.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of one instance.
 *
 * @param held the locks it holds
 * @param waiting the requests that wait
 * @param refused the latest tokens that the database has refused, or {@code null} if it
 * has refused none
 */
public record LocksDescriptor(List<HeldLockDescriptor> held, List<WaitingLockDescriptor> waiting,
		@Nullable List<RefusalDescriptor> refused) implements OperationResponseBody {

	/**
	 * Describes locks of which the database has refused no token.
	 * @param held the locks that are held
	 * @param waiting the requests that wait
	 */
	public LocksDescriptor(List<HeldLockDescriptor> held, List<WaitingLockDescriptor> waiting) {
		this(held, waiting, null);
	}

	/**
	 * Describe the locks of a monitor, with their names.
	 * @param monitor whose locks to describe
	 * @return all that it holds or waits for
	 */
	public static LocksDescriptor of(LockMonitor monitor) {
		return of(monitor, (name, metricName) -> true, ShownNames.ALL);
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

	/** Returns the same with the refusals among some that are wanted. */
	LocksDescriptor with(List<FenceRefusal> refusals, BiPredicate<String, String> wanted, ShownNames names) {
		List<RefusalDescriptor> described = refusals.stream()
			.filter((refusal) -> wanted.test(refusal.name(), refusal.metricName()))
			.map((refusal) -> RefusalDescriptor.of(refusal, names))
			.toList();
		return described.isEmpty() ? this : new LocksDescriptor(this.held, this.waiting, described);
	}

	boolean isEmpty() {
		return this.held.isEmpty() && this.waiting.isEmpty() && this.refused == null;
	}

	/**
	 * A lock that is held.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which it counts in meters
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
	public record HeldLockDescriptor(String name, String metricName, String type, String instance, String owner,
			int holds, Instant since, long heldForMillis, String fencingToken, Instant deadline,
			long remainingLeaseMillis, String watchdog, int permits) {

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
	 * @param metricName the name under which it counts in meters
	 * @param type the lock's type, in lower case
	 * @param instance the instance that waits
	 * @param owner who wants it
	 * @param since since when, the same at each look
	 * @param waitedMillis for how many milliseconds
	 * @param position the place in this instance's queue for the lock, from 1
	 * @param permits how many may hold it at a time
	 */
	public record WaitingLockDescriptor(String name, String metricName, String type, String instance, String owner,
			Instant since, long waitedMillis, int position, int permits) {

		private static WaitingLockDescriptor of(LockMonitor.Waiting request, String instance, ShownNames names) {
			return new WaitingLockDescriptor(names.of(request.metricName(), request.name()), request.metricName(),
					request.type().tag(), instance, request.owner().toString(), request.since(),
					request.waited().toMillis(), request.position(), request.permits());
		}

	}

	/**
	 * A fencing token that the database has refused.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which it counts in meters
	 * @param type the lock's type, in lower case
	 * @param owner who held it
	 * @param fencingToken the token that was refused; text because browsers round large
	 * numbers
	 * @param registeredToken the token in the database, or {@code null} if it has none
	 * @param stage what was refused, in lower case
	 * @param refusedAt when it was refused
	 */
	public record RefusalDescriptor(String name, String metricName, String type, String owner, String fencingToken,
			@Nullable String registeredToken, String stage, Instant refusedAt) {

		private static RefusalDescriptor of(FenceRefusal refusal, ShownNames names) {
			Long registered = refusal.registeredToken();
			return new RefusalDescriptor(names.of(refusal.metricName(), refusal.name()), refusal.metricName(),
					refusal.type().tag(), refusal.owner().toString(), Long.toString(refusal.fencingToken()),
					(registered != null) ? Long.toString(registered) : null,
					refusal.stage().name().toLowerCase(Locale.ROOT), refusal.refusedAt());
		}

	}

}
