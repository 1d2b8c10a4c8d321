package io.lockstarter.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lockstarter.dashboard.LockRow.Holder;
import io.lockstarter.dashboard.LockRow.Level;
import org.jspecify.annotations.Nullable;

/**
 * Content of the page, which is sent as JSON.
 *
 * @param instance the instance that serves the page
 * @param backend the address of the backend, or {@code null} if it is unknown
 * @param problems the problems, the worst first; empty if all is well
 * @param totals the figures of all instances
 * @param matching the number of locks that pass the filter
 * @param rows the requested range of these locks
 * @param pinned the rows that were requested by their keys and are not in this range
 * @param instances the instances
 * @param incidents the incidents of the last hour, the latest first
 * @param mayRelease whether the page may force-release locks
 * @param registries the names of the registries; empty if there is only one
 */
record View(String instance, @Nullable String backend, List<Problem> problems, Totals totals, int matching,
		List<RowView> rows, List<RowView> pinned, List<InstanceView> instances, List<IncidentView> incidents,
		boolean mayRelease, Set<String> registries) {

	/**
	 * Figures of all instances.
	 *
	 * @param locks the number of locks that are held or have waiting requests
	 * @param held the number of holds
	 * @param holdingInstances the number of instances with holds
	 * @param requests the number of waiting requests
	 * @param waitingInstances the number of instances with waiting requests
	 * @param longestWaitMillis the duration of the longest wait
	 * @param waitLevel the severity of the longest wait
	 * @param longestHoldMillis the duration of the longest hold
	 * @param holdLevel the severity of the longest hold
	 * @param lost the number of locks that were lost within the last hour
	 */
	record Totals(int locks, int held, int holdingInstances, int requests, int waitingInstances, long longestWaitMillis,
			Level waitLevel, long longestHoldMillis, Level holdLevel, long lost) {
	}

	/**
	 * Row of the table of locks.
	 *
	 * @param key the unique key of the lock, which exists even if the name is hidden
	 * @param name the lock's name, or a substitute for it
	 * @param hidden whether the name is a substitute
	 * @param metricName the name under which the lock counts in meters
	 * @param type the lock's type, or {@code null} if it is unknown
	 * @param permits the number of permits of the lock
	 * @param read whether the lock is held by readers
	 * @param holders the number of holders
	 * @param holderInstances the number of instances with holders
	 * @param holder one of the holders, or {@code null} if nobody holds the lock
	 * @param heldMillis the duration of the longest hold
	 * @param leaseMillis the time until the first lease ends; negative if nobody holds
	 * the lock
	 * @param requests the number of waiting requests
	 * @param instances the number of instances that sent these requests
	 * @param longestWaitMillis the duration of the longest wait
	 * @param level the severity of the worst problem
	 * @param problems the problems of the lock, the worst first
	 */
	record RowView(String key, String name, boolean hidden, String metricName, @Nullable String type, int permits,
			boolean read, int holders, int holderInstances, @Nullable HolderView holder, long heldMillis,
			long leaseMillis, int requests, int instances, long longestWaitMillis, Level level, List<String> problems) {

		static RowView of(String key, String name, boolean hidden, LockRow row) {
			return new RowView(key, name, hidden, row.metricName(), row.type(), row.permits(), row.isRead(),
					row.holders().size(), (int) row.holders().stream().map(Holder::instance).distinct().count(),
					row.holders().isEmpty() ? null : HolderView.of(row.holders().get(0)), row.longestHoldMillis(),
					row.leaseMillis(), row.requests(), row.instances(), row.longestWaitMillis(), row.level(),
					row.problems().stream().map(LockRow.LockProblem::text).toList());
		}

	}

	/**
	 * Holder of a lock.
	 *
	 * @param instance the instance
	 * @param thread the thread or task, or {@code null} if it is unknown
	 * @param heldMillis the duration of the hold
	 * @param leaseMillis the remaining lease
	 * @param renewal the state of the renewal, or {@code null} if it is unknown
	 * @param token the fencing token
	 * @param count the hold count, or 0 if it is unknown
	 * @param state the {@link LockRow.HolderState}, in lower case
	 */
	record HolderView(String instance, @Nullable String thread, long heldMillis, long leaseMillis,
			@Nullable String renewal, String token, int count, String state) {

		static HolderView of(Holder holder) {
			return new HolderView(holder.instance(), holder.thread(), holder.heldMillis(), holder.leaseMillis(),
					holder.renewal(), holder.token(), holder.count(), holder.state().name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * Row of the table of instances.
	 *
	 * @param id the unique id of the instance
	 * @param instance the instance's name
	 * @param version the version of the application, or {@code null} if it is unknown
	 * @param state {@code own}, {@code running}, {@code unresponsive}, {@code outdated}
	 * if messages are missing, or {@code unreported} if only the backend knows the
	 * instance
	 * @param ageMillis the age of this information
	 * @param upMillis the time since the instance started, or {@code null} if it is
	 * unknown
	 * @param held the number of locks that the instance holds
	 * @param longestHoldMillis the duration of its longest hold
	 * @param requests the number of its waiting requests, or {@code null} if it is
	 * unknown
	 * @param longestWaitMillis the duration of its longest wait
	 * @param lost the number of locks that it lost within the last hour, or {@code null}
	 * if it is unknown
	 */
	record InstanceView(String id, String instance, @Nullable String version, String state, long ageMillis,
			@Nullable Long upMillis, int held, long longestHoldMillis, @Nullable Integer requests,
			long longestWaitMillis, @Nullable Long lost) {
	}

	/**
	 * Row of the table of incidents.
	 *
	 * @param agoMillis the time since the incident
	 * @param instance the instance on which the incident happened
	 * @param kind the name of the {@link IncidentRecorder.Kind}
	 * @param name the lock's name, or a substitute for it
	 * @param hidden whether the name is a substitute
	 * @param owner the owner that held or requested the lock
	 * @param millis the duration of the hold or of the wait, or {@code null} if it is
	 * unknown
	 */
	record IncidentView(long agoMillis, String instance, String kind, String name, boolean hidden, String owner,
			@Nullable Long millis) {
	}

	/**
	 * Details of a lock.
	 *
	 * @param row the row of the table, or {@code null} if there is none
	 * @param holders the holders of the lock
	 * @param waits the waiting requests per instance
	 * @param incidents the incidents of the last hour that concern the lock
	 */
	record LockView(@Nullable RowView row, List<HolderView> holders, List<LockRow.InstanceWait> waits,
			List<IncidentView> incidents) {
	}

}
