package io.lockstarter.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * Lists the locks this instance holds or waits for, or those of all instances.
 */
// What is more than looking must be asked for twice: by a property and by access.
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 100;

	private static final int LARGEST_LIMIT = 1000;

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
	 * @param scope whose locks; by default those of this instance
	 * @param from where to begin among the locks of all instances: nowhere, or what the
	 * page before says
	 * @param limit how many locks of all instances fill a page, which may have some more
	 * @return a {@link LocksDescriptor}, or a {@link SightingsDescriptor} of the locks of
	 * all instances
	 */
	@ReadOperation
	public OperationResponseBody locks(@Nullable LockScope scope, @Nullable String from, @Nullable Integer limit) {
		if (scope != LockScope.CLUSTER) {
			return describe((name) -> true);
		}
		int size = (limit != null) ? limit : DEFAULT_LIMIT;
		if (size < 1 || size > LARGEST_LIMIT) {
			throw new InvalidEndpointRequestException("limit is " + size,
					"The parameter 'limit' must be between 1 and " + LARGEST_LIMIT);
		}
		return SightingsDescriptor.of(answer(this.monitor.look((from != null) ? from : "", size)));
	}

	/**
	 * List one lock.
	 * @param name the lock's name, of which each part between slashes is an element
	 * @param scope whose locks; by default those of this instance
	 * @return the holds of that lock and the requests for it, or a
	 * {@link SightingDescriptor} if all instances are meant, or {@code null} if there is
	 * none
	 */
	@ReadOperation
	public @Nullable OperationResponseBody lock(@Selector(match = Match.ALL_REMAINING) String[] name,
			@Nullable LockScope scope) {
		String joined = String.join("/", name);
		if (scope == LockScope.CLUSTER) {
			LockMonitor.Sighting sighting = answer(this.monitor.look(joined));
			return sighting.holders().isEmpty() ? null : SightingDescriptor.of(sighting);
		}
		LocksDescriptor locks = describe(joined::equals);
		return locks.isEmpty() ? null : locks;
	}

	private static <T> T answer(CompletableFuture<T> look) {
		try {
			return look.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof IllegalArgumentException refusal) {
				throw new InvalidEndpointRequestException(String.valueOf(refusal.getMessage()),
						"The parameter 'from' must be what the page before says, or absent");
			}
			throw (ex.getCause() instanceof LockBackendException failure) ? failure : ex;
		}
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
			return new HeldLockDescriptor(lock.name(), lock.group(), lock.type().tag(), lock.owner().toString(),
					lock.holds(), lock.since(), Long.toString(lock.fencingToken()), lock.remainingLease().toMillis(),
					lock.watchdog().name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * Locks of all instances.
	 *
	 * @param locks the locks that are held
	 * @param next what to begin the next page from, or {@code null} if this is the last
	 * @param limitation why only locks that this instance knows are shown, or
	 * {@code null} if all are
	 */
	public record SightingsDescriptor(List<SightingDescriptor> locks, @Nullable String next,
			@Nullable String limitation) implements OperationResponseBody {

		private static SightingsDescriptor of(LockMonitor.Sightings page) {
			return new SightingsDescriptor(page.locks().stream().map(SightingDescriptor::of).toList(),
					page.next().isEmpty() ? null : page.next(), page.limitation());
		}

	}

	/**
	 * A lock, whichever instance holds it.
	 *
	 * @param name the lock's name
	 * @param holders who holds it: one, or several readers
	 * @param waiting how many instances wait for it
	 */
	public record SightingDescriptor(String name, List<SightedHolderDescriptor> holders,
			int waiting) implements OperationResponseBody {

		private static SightingDescriptor of(LockMonitor.Sighting lock) {
			return new SightingDescriptor(lock.name(),
					lock.holders().stream().map(SightedHolderDescriptor::of).toList(), lock.waiting());
		}

	}

	/**
	 * Who holds a lock.
	 *
	 * @param holder instance, and the owner there that began to hold it
	 * @param heldMillis for how many milliseconds the instance has had it
	 * @param remainingLeaseMillis how many milliseconds the lease still lasts
	 * @param fencingToken the lowest token that the holder may have; text because
	 * browsers round large numbers
	 */
	public record SightedHolderDescriptor(String holder, long heldMillis, long remainingLeaseMillis,
			String fencingToken) {

		private static SightedHolderDescriptor of(LockMonitor.SightedHolder seen) {
			return new SightedHolderDescriptor(seen.holder().label(), seen.holder().heldFor().toMillis(),
					seen.holder().remainingLease().toMillis(), Long.toString(seen.fencingToken()));
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
			return new WaitingLockDescriptor(request.name(), request.group(), request.type().tag(),
					request.owner().toString(), request.since(), request.position());
		}

	}

}
