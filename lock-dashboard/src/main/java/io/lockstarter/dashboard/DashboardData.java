package io.lockstarter.dashboard;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.actuate.LockScope;
import io.lockstarter.actuate.LocksEndpoint;
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

	private final Clock clock;

	/** What this instance is called, by registry, as soon as that has been answered. */
	private final Map<String, String> names = new ConcurrentHashMap<>();

	DashboardData(LocksEndpoint endpoint, Troubles troubles, Clock clock) {
		this.endpoint = endpoint;
		this.troubles = troubles;
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
			.map((trouble) -> trouble.named(this.endpoint.shownName(viewer, trouble.group(), trouble.name())))
			.toList();
		return new InstanceData(name(registry), this.clock.instant(),
				this.endpoint.locks(viewer, null, LockScope.INSTANCE, null, null, registry), this.troubles.since(),
				this.troubles.losses(), latest, mayRelease, this.endpoint.registries());
	}

	/**
	 * What the backend answers this instance.
	 * @param wanted which of several registries, if not the default one
	 * @param from where to begin, if not at the first lock
	 */
	ClusterData ofCluster(SecurityContext viewer, @Nullable String wanted, @Nullable String from) {
		String registry = registry(wanted);
		CompletableFuture<LockMonitor.Health> health = this.endpoint.monitor(registry).health();
		OperationResponseBody locks = null;
		Failure failure = null;
		try {
			locks = this.endpoint.locks(viewer, null, LockScope.CLUSTER, from, LIMIT, registry);
		}
		catch (LockBackendException ex) {
			failure = new Failure(ex.reason().name().toLowerCase(Locale.ROOT), ex.detail());
		}
		return ClusterData.of(health.join(), locks, failure);
	}

	/** Only who is asked for its health says what it is called. */
	private @Nullable String name(@Nullable String registry) {
		String key = (registry != null) ? registry : "";
		String name = this.names.get(key);
		if (name == null) {
			this.endpoint.monitor(registry)
				.health()
				.thenAccept((health) -> this.names.put(key, ClusterData.instance(health)));
		}
		return name;
	}

	/** The registry that is wanted, or the default one of several. */
	@Nullable String registry(@Nullable String wanted) {
		return (wanted != null || this.endpoint.registries().isEmpty()) ? wanted
				: this.endpoint.registries().iterator().next();
	}

	/**
	 * What an instance knows.
	 *
	 * @param instance what it is called, once that is known
	 * @param now the instance's clock
	 * @param locks what it holds and waits for
	 * @param since since when it has counted losses
	 * @param losses how many of its locks were lost since then
	 * @param troubles what went wrong lately, latest first
	 * @param mayRelease whether locks may be taken away here
	 * @param registries what to choose from; empty if there is only one
	 */
	record InstanceData(@Nullable String instance, Instant now, @Nullable OperationResponseBody locks, Instant since,
			long losses, List<Troubles.Trouble> troubles, boolean mayRelease, Set<String> registries) {
	}

	/**
	 * What the backend answers.
	 *
	 * @param instance which instance asked
	 * @param up whether locks can be taken and kept, as seen by that instance
	 * @param error why not, if the backend is the reason
	 * @param renewalsFailing how many locks of that instance could not be renewed the
	 * last time
	 * @param locks the locks, if the backend has told
	 * @param failure why it has not
	 */
	record ClusterData(String instance, boolean up, @Nullable String error, long renewalsFailing,
			@Nullable OperationResponseBody locks, @Nullable Failure failure) {

		private static String instance(LockMonitor.Health health) {
			Object instance = health.details().get("instance");
			return (instance != null) ? instance.toString() : "this instance";
		}

		private static ClusterData of(LockMonitor.Health health, @Nullable OperationResponseBody locks,
				@Nullable Failure failure) {
			Object error = health.details().get("error");
			return new ClusterData(instance(health), health.up(), (error != null) ? error.toString() : null,
					(health.details().get("renewalsFailing") instanceof Number failing) ? failing.longValue() : 0,
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
