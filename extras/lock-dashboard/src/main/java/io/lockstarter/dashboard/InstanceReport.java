package io.lockstarter.dashboard;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

/**
 * Report of an instance about itself, as it is sent to the others. Times are lengths, so
 * that clocks need not agree.
 *
 * @param id tells the instance from all others, of the same name as well
 * @param client the id of its client of the backend, to reply to
 * @param sequence rises from report to report
 * @param instance the instance's name
 * @param version the version of the application, if that is known
 * @param upMillis for how long it has been up
 * @param watching whether somebody looks at its page, so that it wants reports
 * @param held how many locks it holds
 * @param waiting how many of its requests wait
 * @param renewalsFailing how many of its leases could not be renewed the last time
 * @param longestHoldMillis for how long it has held the lock that it has held longest
 * @param longestWaitMillis for how long the first of its requests has waited
 * @param lost how many locks it has lost within the last hour
 * @param complete whether {@code holds} and {@code waits} are all there are
 * @param holds the locks it holds
 * @param waits the locks it waits for
 * @param incidents what went wrong lately, the latest first
 * @param inspection what it has found in the backend, if it inspects that for all
 */
record InstanceReport(String id, String client, long sequence, String instance, @Nullable String version, long upMillis,
		boolean watching, int held, int waiting, int renewalsFailing, long longestHoldMillis, long longestWaitMillis,
		long lost, boolean complete, List<Hold> holds, List<Wait> waits, List<Incident> incidents,
		@Nullable Inspection inspection) {

	/**
	 * Some 400 kilobytes, compressed. Redis drops a subscriber that lags behind by 8 MB.
	 */
	static final int MOST_LOCKS = 10_000;

	/** Requests that are named for each lock. */
	static final int MOST_WAITERS = 20;

	/** Of longer names, Redis has no more than a digest. */
	private static final int LONGEST_NAME = 512;

	/**
	 * Reports what a monitor shows.
	 * @param now the time by the clock that the monitor goes by
	 */
	static InstanceReport of(Identity identity, LockMonitor monitor, Instant now, long lost, List<Incident> incidents) {
		List<LockMonitor.Held> held = monitor.held();
		List<LockMonitor.Waiting> waiting = monitor.waiting();
		List<Hold> holds = held.stream()
			.filter((lock) -> lock.name().length() <= LONGEST_NAME)
			.limit(MOST_LOCKS)
			.map(Hold::of)
			.toList();
		List<Wait> waits = Wait.of(waiting);
		boolean complete = holds.size() == held.size()
				&& waits.stream().mapToInt(Wait::requests).sum() == waiting.size();
		int failing = (int) held.stream().filter((lock) -> lock.renewal() == LockMonitor.RenewalState.FAILING).count();
		return new InstanceReport(identity.id(), identity.client(), 0, monitor.instance(), identity.version(),
				identity.upMillis(), false, held.size(), waiting.size(), failing,
				held.stream().mapToLong((lock) -> lock.heldFor().toMillis()).max().orElse(0),
				waiting.stream().mapToLong((request) -> request.waited().toMillis()).max().orElse(0), lost, complete,
				holds, waits, incidents, null);
	}

	InstanceReport sent(long number, boolean wantsReports, @Nullable Inspection found) {
		return new InstanceReport(this.id, this.client, number, this.instance, this.version, this.upMillis,
				wantsReports, this.held, this.waiting, this.renewalsFailing, this.longestHoldMillis,
				this.longestWaitMillis, this.lost, this.complete, this.holds, this.waits, this.incidents, found);
	}

	/**
	 * What does not change while an instance lives, and its age.
	 *
	 * @param id tells the instance from all others
	 * @param client the id of its client of the backend
	 * @param version the version of the application, if that is known
	 * @param upMillis for how long it has been up
	 */
	record Identity(String id, String client, @Nullable String version, long upMillis) {
	}

	/**
	 * A lock that the instance holds.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param type its type, in lower case
	 * @param permits how many may hold it at a time
	 * @param owner who holds it
	 * @param count the hold count
	 * @param token the hold's fencing token; text because browsers round large numbers
	 * @param heldMillis for how long it has been held
	 * @param leaseMillis how long the lease still lasts
	 * @param renewal what the watchdog does for it, in lower case
	 */
	record Hold(String name, String metricName, String type, int permits, String owner, int count, String token,
			long heldMillis, long leaseMillis, String renewal) {

		private static Hold of(LockMonitor.Held lock) {
			return new Hold(lock.name(), lock.metricName(), lock.type().tag(), lock.permits(), lock.owner().toString(),
					lock.holdCount(), Long.toString(lock.fencingToken()), lock.heldFor().toMillis(),
					lock.remainingLease().toMillis(), lock.renewal().name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * The instance's requests for a lock.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param type its type, in lower case
	 * @param permits how many may hold it at a time
	 * @param requests how many requests wait
	 * @param longest those that have waited longest, the longest first
	 */
	record Wait(String name, String metricName, String type, int permits, int requests, List<Waiter> longest) {

		private static List<Wait> of(List<LockMonitor.Waiting> waiting) {
			Map<String, List<LockMonitor.Waiting>> byName = new LinkedHashMap<>();
			for (LockMonitor.Waiting request : waiting) {
				if (request.name().length() <= LONGEST_NAME
						&& (byName.size() < MOST_LOCKS || byName.containsKey(request.name()))) {
					byName.computeIfAbsent(request.name(), (name) -> new ArrayList<>()).add(request);
				}
			}
			return byName.values().stream().map(Wait::ofOneLock).toList();
		}

		private static Wait ofOneLock(List<LockMonitor.Waiting> requests) {
			LockMonitor.Waiting first = requests.get(0);
			return new Wait(first.name(), first.metricName(), first.type().tag(), first.permits(), requests.size(),
					requests.stream()
						.sorted(Comparator.comparing(LockMonitor.Waiting::waited).reversed())
						.limit(MOST_WAITERS)
						.map((request) -> new Waiter(request.owner().toString(), request.waited().toMillis()))
						.toList());
		}

		long longestMillis() {
			return this.longest.isEmpty() ? 0 : this.longest.get(0).millis();
		}

	}

	/**
	 * A request that waits.
	 *
	 * @param owner who wants the lock
	 * @param millis for how long it has waited
	 */
	record Waiter(String owner, long millis) {
	}

	/**
	 * Something that went wrong.
	 *
	 * @param agoMillis how long ago
	 * @param kind what, by the name of its {@link Troubles.Kind}; later versions may know
	 * more of them
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param owner who held the lock, or asked for it
	 * @param millis for how long, if that is known
	 */
	record Incident(long agoMillis, String kind, String name, String metricName, String owner, @Nullable Long millis) {

		/** Returns the incident some time after it was reported. */
		Incident aged(long millis) {
			return new Incident(this.agoMillis + millis, this.kind, this.name, this.metricName, this.owner,
					this.millis);
		}

		boolean isLoss() {
			return this.kind.startsWith("LOST");
		}

		/** Returns what the row of the lock says of it for a while, if anything. */
		LockRow.@Nullable Kind consequence() {
			if (this.kind.equals(Troubles.Kind.FENCE_REFUSED.name())) {
				return LockRow.Kind.FENCE_REFUSED;
			}
			// Somebody has decided that the lock be lost
			if (this.kind.equals(Troubles.Kind.LOST_FORCE_RELEASED.name())) {
				return LockRow.Kind.FORCE_RELEASED;
			}
			return isLoss() ? LockRow.Kind.LOST : null;
		}

	}

}
