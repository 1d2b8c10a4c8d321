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
 * Locks of one instance.
 *
 * @param held the locks that it holds
 * @param waiting the requests that wait
 * @param refused the latest tokens that the database has refused, or {@code null} if it
 * has refused none
 */
public record LocksDescriptor(List<HeldLockDescriptor> held, List<WaitingLockDescriptor> waiting,
		@Nullable List<RefusalDescriptor> refused) implements OperationResponseBody {

	/**
	 * Creates a descriptor without refused tokens.
	 * @param held the locks that are held
	 * @param waiting the requests that wait
	 */
	public LocksDescriptor(List<HeldLockDescriptor> held, List<WaitingLockDescriptor> waiting) {
		this(held, waiting, null);
	}

	/**
	 * Describes the locks of a monitor, with their names.
	 * @param monitor the monitor
	 * @return all locks that it holds or waits for
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

	/** Returns a copy with those of the refusals that match a filter. */
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
	 * Lock that is held.
	 *
	 * @param name the lock's name
	 * @param metricName the lock's metric name
	 * @param type its type, in lower case
	 * @param instance the name under which other instances see the holder
	 * @param owner the owner that holds it
	 * @param holds the hold count
	 * @param since the time of the acquisition
	 * @param heldForMillis the time for which it has been held, in milliseconds
	 * @param fencingToken the hold's fencing token, as text because browsers round large
	 * numbers
	 * @param deadline the end of the lease if it is not renewed
	 * @param remainingLeaseMillis the remaining time of the lease, in milliseconds
	 * @param watchdog the state of the renewal, in lower case
	 * @param permits the number of owners that may hold it at a time
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
	 * Request that waits.
	 *
	 * @param name the lock's name
	 * @param metricName the lock's metric name
	 * @param type the lock's type, in lower case
	 * @param instance the instance that waits
	 * @param owner the owner that requests the lock
	 * @param since the start of the wait, the same in each snapshot
	 * @param waitedMillis the time waited, in milliseconds
	 * @param position the position in this instance's queue for the lock, from 1
	 * @param permits the number of owners that may hold it at a time
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
	 * Fencing token that the database has refused.
	 *
	 * @param name the lock's name
	 * @param metricName the lock's metric name
	 * @param type the lock's type, in lower case
	 * @param owner the owner that held it
	 * @param fencingToken the refused token, as text because browsers round large numbers
	 * @param registeredToken the token in the database, or {@code null} if it has none
	 * @param stage the refused step, in lower case
	 * @param refusedAt the time of the refusal
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
