package io.lockstarter.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lockstarter.dashboard.LockRow.Holder;
import io.lockstarter.dashboard.LockRow.Level;
import org.jspecify.annotations.Nullable;

/**
 * What a page shows, as JSON.
 *
 * @param instance the instance that answers
 * @param problems what is wrong, the worst first; empty if all is well
 * @param totals figures of all instances
 * @param matching how many locks pass the filter
 * @param rows those of them that were asked for
 * @param pinned rows that were asked for by their keys, and are not among the others
 * @param instances the instances
 * @param incidents what went wrong lately, the latest first
 * @param mayRelease whether locks may be released by force here
 * @param registries what to choose from; empty if there is only one
 */
record View(String instance, List<Problem> problems, Totals totals, int matching, List<RowView> rows,
		List<RowView> pinned, List<InstanceView> instances, List<IncidentView> incidents, boolean mayRelease,
		Set<String> registries) {

	/**
	 * Figures of all instances.
	 *
	 * @param locks how many locks are held or waited for
	 * @param held how often locks are held
	 * @param holdingInstances how many instances hold them
	 * @param requests how many requests wait
	 * @param waitingInstances how many instances these are of
	 * @param longestWaitMillis for how long the first of them has waited
	 * @param longestHoldMillis for how long a lock has been held
	 * @param lost how many locks were lost within the last hour
	 */
	record Totals(int locks, int held, int holdingInstances, int requests, int waitingInstances, long longestWaitMillis,
			long longestHoldMillis, long lost) {
	}

	/**
	 * A lock.
	 *
	 * @param key tells it from all others, also where names are hidden
	 * @param name the lock's name, or what stands for it
	 * @param hidden whether that is not the name
	 * @param metricName the name under which it counts in meters
	 * @param type its type, or {@code null} if that is not known
	 * @param permits how many may hold it at a time
	 * @param read whether it is held by readers
	 * @param holders how many hold it
	 * @param holderInstances how many instances these are on
	 * @param holder one of them, or {@code null} if nobody does
	 * @param heldMillis for how long it has been held
	 * @param leaseMillis how long until a lease ends; negative if nobody holds it
	 * @param requests how many requests wait for it
	 * @param instances how many instances these are of
	 * @param longestWaitMillis for how long the first of them has waited
	 * @param level how bad it is
	 * @param troubles what is wrong with it, the worst first
	 */
	record RowView(String key, String name, boolean hidden, String metricName, @Nullable String type, int permits,
			boolean read, int holders, int holderInstances, @Nullable HolderView holder, long heldMillis,
			long leaseMillis, int requests, int instances, long longestWaitMillis, Level level, List<String> troubles) {

		static RowView of(String key, String name, boolean hidden, LockRow row) {
			return new RowView(key, name, hidden, row.metricName(), row.type(), row.permits(), row.isRead(),
					row.holders().size(), (int) row.holders().stream().map(Holder::instance).distinct().count(),
					row.holders().isEmpty() ? null : HolderView.of(row.holders().get(0)), row.longestHoldMillis(),
					row.leaseMillis(), row.requests(), row.instances(), row.longestWaitMillis(), row.level(),
					row.troubles().stream().map(LockRow.Trouble::text).toList());
		}

	}

	/**
	 * Someone who holds a lock.
	 *
	 * @param instance the instance
	 * @param thread the thread or task, or {@code null} if that is not known
	 * @param heldMillis for how long
	 * @param leaseMillis how long the lease still lasts
	 * @param renewal what the watchdog does for it, or {@code null} if that is not known
	 * @param token the fencing token
	 * @param count the hold count, or 0 if that is not known
	 * @param state how sure that is, in lower case
	 */
	record HolderView(String instance, @Nullable String thread, long heldMillis, long leaseMillis,
			@Nullable String renewal, String token, int count, String state) {

		static HolderView of(Holder holder) {
			return new HolderView(holder.instance(), holder.thread(), holder.heldMillis(), holder.leaseMillis(),
					holder.renewal(), holder.token(), holder.count(), holder.state().name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * An instance.
	 *
	 * @param id tells it from all others
	 * @param instance its name
	 * @param version the version of the application, if that is known
	 * @param state {@code own}, {@code living}, {@code silent}, {@code outdated} if
	 * messages are missing, or {@code unreported} if only the backend knows of it
	 * @param ageMillis how old that is
	 * @param upMillis for how long it has been up, or {@code null} if that is not known
	 * @param held how many locks it holds
	 * @param longestHoldMillis the longest of them
	 * @param requests how many of its requests wait, or {@code null} if that is not known
	 * @param longestWaitMillis the longest of them
	 * @param lost how many locks it has lost within the last hour, or {@code null} if
	 * that is not known
	 */
	record InstanceView(String id, String instance, @Nullable String version, String state, long ageMillis,
			@Nullable Long upMillis, int held, long longestHoldMillis, @Nullable Integer requests,
			long longestWaitMillis, @Nullable Long lost) {
	}

	/**
	 * Something that went wrong.
	 *
	 * @param agoMillis how long ago
	 * @param instance where
	 * @param kind what
	 * @param name the lock's name, or what stands for it
	 * @param hidden whether that is not the name
	 * @param owner who held the lock, or asked for it
	 * @param millis for how long, if that is known
	 */
	record IncidentView(long agoMillis, String instance, String kind, String name, boolean hidden, String owner,
			@Nullable Long millis) {
	}

	/**
	 * All that is known of a lock.
	 *
	 * @param row the lock as in the table, or {@code null} if nobody holds it or waits
	 * @param holders who holds it
	 * @param waits who waits for it
	 * @param incidents what went wrong with it lately
	 */
	record LockView(@Nullable RowView row, List<HolderView> holders, List<LockRow.InstanceWait> waits,
			List<IncidentView> incidents) {
	}

}
