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
 * Report of an instance about itself, which it sends to the other instances. Times are
 * durations, so that the clocks of the instances need not agree.
 *
 * @param id the unique id of the instance, because several instances may have one name
 * @param client the id of the instance's client of the backend, which receives replies
 * @param sequence the sequence number, which increases from report to report
 * @param instance the instance's name
 * @param version the version of the application, or {@code null} if it is unknown
 * @param upMillis the time since the instance started
 * @param watching whether a page of the instance is open, so that the instance needs
 * reports of the others
 * @param held the number of locks that the instance holds
 * @param waiting the number of its waiting requests
 * @param renewalsFailing the number of its leases whose last renewal failed
 * @param longestHoldMillis the duration of its longest hold
 * @param longestWaitMillis the duration of its longest wait
 * @param lost the number of locks that it lost within the last hour
 * @param complete whether {@code holds} and {@code waits} contain everything
 * @param holds the locks that the instance holds
 * @param waits the locks that its requests wait for
 * @param incidents the recent incidents, the latest first
 * @param inspection the inspection of the backend, or {@code null} if the instance does
 * not inspect it
 */
record InstanceReport(String id, String client, long sequence, String instance, @Nullable String version, long upMillis,
		boolean watching, int held, int waiting, int renewalsFailing, long longestHoldMillis, long longestWaitMillis,
		long lost, boolean complete, List<Hold> holds, List<Wait> waits, List<Incident> incidents,
		@Nullable Inspection inspection) {

	/**
	 * Number of locks in a report: 10,000, which are about 400 kilobytes when compressed.
	 * Redis drops a subscriber that lags behind by 8 MB.
	 */
	static final int MAX_LOCKS = 10_000;

	/** Number of requests per lock that a report lists. */
	static final int MAX_WAITERS = 20;

	/** Length of a name above which Redis stores only a digest of the name. */
	private static final int MAX_NAME_LENGTH = 512;

	/**
	 * Creates a report of the locks that a monitor shows.
	 * @param now the current time of the monitor's clock
	 */
	static InstanceReport of(Identity identity, LockMonitor monitor, Instant now, long lost, List<Incident> incidents) {
		List<LockMonitor.Held> held = monitor.held();
		List<LockMonitor.Waiting> waiting = monitor.waiting();
		List<Hold> holds = held.stream()
			.filter((lock) -> lock.name().length() <= MAX_NAME_LENGTH)
			.limit(MAX_LOCKS)
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

	/** Returns this report with the values that are known only when it is sent. */
	InstanceReport sent(long number, boolean watches, @Nullable Inspection latestInspection) {
		return new InstanceReport(this.id, this.client, number, this.instance, this.version, this.upMillis, watches,
				this.held, this.waiting, this.renewalsFailing, this.longestHoldMillis, this.longestWaitMillis,
				this.lost, this.complete, this.holds, this.waits, this.incidents, latestInspection);
	}

	/**
	 * Identity and age of an instance.
	 *
	 * @param id the unique id of the instance
	 * @param client the id of the instance's client of the backend
	 * @param version the version of the application, or {@code null} if it is unknown
	 * @param upMillis the time since the instance started
	 */
	record Identity(String id, String client, @Nullable String version, long upMillis) {
	}

	/**
	 * Lock that the instance holds.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param type the lock's type, in lower case
	 * @param permits the number of permits of the lock
	 * @param owner the owner of the hold
	 * @param count the hold count
	 * @param token the hold's fencing token; text because browsers round large numbers
	 * @param heldMillis the duration of the hold
	 * @param leaseMillis the remaining lease
	 * @param renewal the state of the renewal, in lower case
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
	 * Waiting requests of the instance for a lock.
	 *
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param type the lock's type, in lower case
	 * @param permits the number of permits of the lock
	 * @param requests the number of waiting requests
	 * @param longest the requests with the longest waits, the longest first
	 */
	record Wait(String name, String metricName, String type, int permits, int requests, List<Waiter> longest) {

		private static List<Wait> of(List<LockMonitor.Waiting> waiting) {
			Map<String, List<LockMonitor.Waiting>> byName = new LinkedHashMap<>();
			for (LockMonitor.Waiting request : waiting) {
				if (request.name().length() <= MAX_NAME_LENGTH
						&& (byName.size() < MAX_LOCKS || byName.containsKey(request.name()))) {
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
						.limit(MAX_WAITERS)
						.map((request) -> new Waiter(request.owner().toString(), request.waited().toMillis()))
						.toList());
		}

		long longestMillis() {
			return this.longest.isEmpty() ? 0 : this.longest.get(0).millis();
		}

	}

	/**
	 * Waiting request.
	 *
	 * @param owner the owner that requests the lock
	 * @param millis the duration of the wait
	 */
	record Waiter(String owner, long millis) {
	}

	/**
	 * Incident on the instance.
	 *
	 * @param agoMillis the time since the incident
	 * @param kind the name of the {@link IncidentRecorder.Kind}; later versions may have
	 * further kinds
	 * @param name the lock's name
	 * @param metricName the name under which the lock counts in meters
	 * @param owner the owner that held or requested the lock
	 * @param millis the duration of the hold or of the wait, or {@code null} if it is
	 * unknown
	 */
	record Incident(long agoMillis, String kind, String name, String metricName, String owner, @Nullable Long millis) {

		/** Returns the incident when some time has passed since its report. */
		Incident aged(long passedMillis) {
			return new Incident(this.agoMillis + passedMillis, this.kind, this.name, this.metricName, this.owner,
					this.millis);
		}

		boolean isLoss() {
			return this.kind.startsWith("LOST");
		}

		/**
		 * Returns the problem that the lock's row shows for a while, or {@code null} if
		 * it shows none.
		 */
		LockRow.@Nullable Kind problemKind() {
			if (this.kind.equals(IncidentRecorder.Kind.FENCE_REFUSED.name())) {
				return LockRow.Kind.FENCE_REFUSED;
			}
			// A force-release is a decision and no failure
			if (this.kind.equals(IncidentRecorder.Kind.LOST_FORCE_RELEASED.name())) {
				return LockRow.Kind.FORCE_RELEASED;
			}
			return isLoss() ? LockRow.Kind.LOST : null;
		}

	}

}
