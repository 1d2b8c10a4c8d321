package io.lockstarter.dashboard;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import io.lockstarter.actuate.LockScope;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.actuate.SightingsDescriptor;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * What the page shows: what the endpoint of locks answers, and how sure that is.
 */
final class DashboardData {

	/** Locks on a page of those of all instances. */
	private static final int LIMIT = 200;

	private final LocksEndpoint endpoint;

	private final Troubles troubles;

	private final RollCalls calls;

	private final Clock clock;

	private final SharedLooks looks = new SharedLooks(LIMIT, System::nanoTime);

	DashboardData(LocksEndpoint endpoint, Troubles troubles, RollCalls calls, Clock clock) {
		this.endpoint = endpoint;
		this.troubles = troubles;
		this.calls = calls;
		this.clock = clock;
	}

	/**
	 * What this instance knows without asking the backend.
	 * @param wanted which of several registries, if not the default one
	 */
	InstanceData ofInstance(SecurityContext viewer, @Nullable String wanted, boolean mayRelease) {
		String registry = registry(wanted);
		List<Troubles.Trouble> latest = this.troubles.latest()
			.stream()
			.filter((trouble) -> Objects.equals(registry(trouble.registry()), registry))
			.map((trouble) -> trouble.named(this.endpoint.shownNames(viewer).apply(trouble.group(), trouble.name())))
			.toList();
		LockMonitor monitor = this.endpoint.monitor(registry);
		return new InstanceData(monitor.instance(), this.clock.instant(),
				this.endpoint.locks(viewer, null, LockScope.INSTANCE, null, null, null, registry),
				this.troubles.lost(monitor.registry()), latest, mayRelease, this.endpoint.registries());
	}

	/**
	 * Ask the backend.
	 * @param wanted which of several registries, if not the default one
	 * @param from where to begin, if not at the first lock
	 */
	SharedLooks.Look look(@Nullable String wanted, @Nullable String from) {
		return this.looks.at(this.endpoint.monitor(registry(wanted)), from);
	}

	/**
	 * What the backend answers this instance, for which is waited.
	 * @param wanted which of several registries, if not the default one
	 */
	ClusterData ofCluster(SecurityContext viewer, @Nullable String wanted, SharedLooks.Look look) {
		LockMonitor monitor = this.endpoint.monitor(registry(wanted));
		long ageMillis = this.looks.age(look).toMillis();
		RollCall.Roll roll = this.calls.call(monitor).named(this.endpoint.shownNames(viewer));
		SightingsDescriptor locks = null;
		Failure failure = null;
		try {
			locks = this.endpoint.describe(viewer, look.page());
		}
		catch (LockBackendException ex) {
			failure = new Failure(ex.reason().name().toLowerCase(Locale.ROOT), ex.detail());
		}
		return ClusterData.of(monitor.instance(), ageMillis, look.health().join(), roll, locks, failure);
	}

	/** The registry that is wanted, which there must be. */
	@Nullable String known(@Nullable String wanted) {
		this.endpoint.monitor(registry(wanted));
		return wanted;
	}

	/** The registry that is wanted, or the default one of several. */
	@Nullable String registry(@Nullable String wanted) {
		return (wanted != null || this.endpoint.registries().isEmpty()) ? wanted
				: this.endpoint.registries().iterator().next();
	}

	/**
	 * What an instance knows.
	 *
	 * @param instance what it is called
	 * @param now the instance's clock
	 * @param locks what it holds and waits for
	 * @param lost how many of its locks were lost within the last hour
	 * @param troubles what went wrong lately, latest first
	 * @param mayRelease whether locks may be taken away here
	 * @param registries what to choose from; empty if there is only one
	 */
	record InstanceData(String instance, Instant now, @Nullable OperationResponseBody locks, long lost,
			List<Troubles.Trouble> troubles, boolean mayRelease, Set<String> registries) {
	}

	/**
	 * What the backend answers, and other instances by it.
	 *
	 * @param instance which instance asked
	 * @param ageMillis how long before the request the backend was asked, for somebody
	 * else
	 * @param up whether locks can be taken and kept, as seen by that instance
	 * @param error why not, if the backend is the reason
	 * @param renewalsFailing how many locks of that instance could not be renewed the
	 * last time
	 * @param roll the instances that tell of themselves
	 * @param locks the locks, if the backend has told
	 * @param failure why it has not
	 */
	record ClusterData(String instance, long ageMillis, boolean up, @Nullable String error, long renewalsFailing,
			RollCall.Roll roll, @Nullable SightingsDescriptor locks, @Nullable Failure failure) {

		private static ClusterData of(String instance, long ageMillis, LockMonitor.Health health, RollCall.Roll roll,
				@Nullable SightingsDescriptor locks, @Nullable Failure failure) {
			Object error = health.details().get("error");
			return new ClusterData(instance, ageMillis, health.up(), (error != null) ? error.toString() : null,
					(health.details().get("renewalsFailing") instanceof Number failing) ? failing.longValue() : 0, roll,
					locks, failure);
		}

	}

	/**
	 * Why the backend told of no locks.
	 *
	 * @param reason the kind of failure, in lower case
	 * @param detail the backend's own words
	 */
	record Failure(String reason, String detail) {
	}

}
