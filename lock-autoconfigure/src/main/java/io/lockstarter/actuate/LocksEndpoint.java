package io.lockstarter.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiPredicate;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * Endpoint that lists the locks that this instance holds or waits for, or the locks of
 * all instances.
 */
// Operations that change a lock must be enabled twice: by a property and by access.
@RegisterReflectionForBinding({ LocksDescriptor.class, RegistriesDescriptor.class, LockSnapshotsDescriptor.class })
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	/** Default number of locks on a page. */
	private static final int DEFAULT_LIMIT = 100;

	/** Maximum number of locks on a page. */
	private static final int LARGEST_LIMIT = 1000;

	/** Maximum number of locks that are inspected for a page of one metric name. */
	private static final int MOST_FILTERED = 2000;

	private final MonitorChoice monitors;

	private final Sanitizer sanitizer;

	private final Show showValues;

	private final Set<String> roles;

	private final RecentRefusals refusals;

	/**
	 * Creates an endpoint for one registry.
	 * @param monitor the monitor of the registry
	 * @param sanitizer the sanitizer of names, which sees the lock's metric name as the
	 * key; for locks of other instances, the metric name is derived from the lock's name
	 * @param showValues when to show names
	 * @param roles the roles of users who may see names, if not all may
	 */
	public LocksEndpoint(LockMonitor monitor, Sanitizer sanitizer, Show showValues, Set<String> roles) {
		this(monitor, Map.of(), sanitizer, showValues, roles);
	}

	/**
	 * Creates an endpoint for several registries.
	 * @param monitor the monitor of the default registry
	 * @param registries the monitors of all registries by name; empty if there is only
	 * one
	 * @param sanitizer the sanitizer of names, which sees the lock's metric name as the
	 * key; for locks of other instances, the metric name is derived from the lock's name
	 * @param showValues when to show names
	 * @param roles the roles of users who may see names, if not all may
	 */
	public LocksEndpoint(LockMonitor monitor, Map<String, LockMonitor> registries, Sanitizer sanitizer, Show showValues,
			Set<String> roles) {
		this(monitor, registries, sanitizer, showValues, roles, new RecentRefusals());
	}

	/**
	 * Creates an endpoint for several registries that also lists refused fencing tokens.
	 * @param monitor the monitor of the default registry
	 * @param registries the monitors of all registries by name; empty if there is only
	 * one
	 * @param sanitizer the sanitizer of names, which sees the lock's metric name as the
	 * key; for locks of other instances, the metric name is derived from the lock's name
	 * @param showValues when to show names
	 * @param roles the roles of users who may see names, if not all may
	 * @param refusals the refused tokens to show
	 */
	public LocksEndpoint(LockMonitor monitor, Map<String, LockMonitor> registries, Sanitizer sanitizer, Show showValues,
			Set<String> roles, RecentRefusals refusals) {
		this.monitors = new MonitorChoice(monitor, registries);
		this.sanitizer = sanitizer;
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
		this.refusals = refusals;
	}

	/**
	 * Lists all locks, or one whose name cannot be a path.
	 * @param context the security context of the request
	 * @param name the name of the only lock to list, or {@code null} for all
	 * @param scope the scope of the locks; by default those of this instance
	 * @param from the start of a page of the locks of all instances, as given by the
	 * previous page; {@code null} for the first page
	 * @param limit the number of locks of all instances on a page, which may contain some
	 * more
	 * @param metricName the metric name of the locks to list, or {@code null} for all
	 * @param registry the name of the registry; by default all of them, except for the
	 * locks of all instances
	 * @return a {@link LocksDescriptor}, a {@link RegistriesDescriptor} for several
	 * registries, or a {@link LockSnapshotsDescriptor} for the locks of all instances;
	 * for one lock, the result of {@link #lock lock}
	 */
	@ReadOperation
	public @Nullable OperationResponseBody locks(SecurityContext context, @Nullable String name,
			@Nullable LockScope scope, @Nullable String from, @Nullable Integer limit, @Nullable String metricName,
			@Nullable String registry) {
		if (name != null) {
			return one(context, name, scope, registry);
		}
		if (scope != LockScope.CLUSTER) {
			return local((each, counted) -> metricName == null || counted.equals(metricName), names(context), registry);
		}
		int size = (limit != null) ? limit : DEFAULT_LIMIT;
		if (size < 1 || size > LARGEST_LIMIT) {
			throw new InvalidEndpointRequestException("limit is " + size,
					"The parameter 'limit' must be between 1 and " + LARGEST_LIMIT);
		}
		LockMonitor monitor = this.monitors.of(registry);
		String begin = (from != null) ? from : "";
		LockMonitor.LockPage page = (metricName != null) ? ofMetricName(monitor, metricName, begin, size)
				: await(monitor.locks(begin, size));
		return LockSnapshotsDescriptor.of(page, names(context));
	}

	/**
	 * Reads pages until one is filled with locks of a metric name, or the maximum number
	 * of locks has been inspected. A lock may be on several of these pages.
	 */
	private static LockMonitor.LockPage ofMetricName(LockMonitor monitor, String metricName, String from, int size) {
		Set<String> known = Stream.concat(
				monitor.held().stream().filter((lock) -> lock.metricName().equals(metricName)).map(Held::name),
				monitor.waiting().stream().filter((lock) -> lock.metricName().equals(metricName)).map(Waiting::name))
			.collect(Collectors.toSet());
		Map<String, LockMonitor.LockSnapshot> found = new LinkedHashMap<>();
		int seen = 0;
		LockMonitor.LockPage page;
		String next = from;
		do {
			page = await(monitor.locks(next, size));
			page.locks()
				.stream()
				.filter((lock) -> known.contains(lock.name()) || metricNameOf(lock.name()).equals(metricName))
				.forEach((lock) -> found.put(lock.name(), lock));
			seen += page.locks().size();
			next = page.next();
		}
		while (!next.isEmpty() && found.size() < size && seen < MOST_FILTERED);
		return new LockMonitor.LockPage(List.copyOf(found.values()), next, page.note());
	}

	/**
	 * Returns the metric name of a lock, assuming that an annotation has named the lock.
	 * @param name the lock's name
	 * @return the text before the first colon that is not escaped by a backslash, or all
	 * of it
	 */
	public static String metricNameOf(String name) {
		StringBuilder metricName = new StringBuilder();
		for (int i = 0; i < name.length() && name.charAt(i) != ':'; i++) {
			boolean escape = name.charAt(i) == '\\' && i + 1 < name.length();
			metricName.append(name.charAt(escape ? ++i : i));
		}
		return metricName.toString();
	}

	/**
	 * Lists one lock.
	 * @param context the security context of the request
	 * @param path the lock's name, split at slashes
	 * @param scope the scope of the locks; by default those of this instance
	 * @param registry the name of the registry; by default all of them, except for the
	 * locks of all instances
	 * @return the holds of that lock and the requests for it, a
	 * {@link LockSnapshotsDescriptor.LockSnapshotDescriptor} for the locks of all
	 * instances, or {@code
	 * null} if the lock is neither held nor requested
	 */
	@ReadOperation
	public @Nullable OperationResponseBody lock(SecurityContext context,
			@Selector(match = Match.ALL_REMAINING) String[] path, @Nullable LockScope scope,
			@Nullable String registry) {
		return one(context, String.join("/", path), scope, registry);
	}

	/**
	 * Returns a function that determines how this endpoint shows the names of locks.
	 * @param context the security context of the request
	 * @return a function from a lock's metric name and name to the name that is shown
	 */
	public BinaryOperator<String> shownNames(SecurityContext context) {
		return names(context)::of;
	}

	/**
	 * Returns the names of the registries that a request may select.
	 * @return the names, the default one first; empty if there is only one registry
	 */
	public Set<String> registries() {
		return this.monitors.several().keySet();
	}

	/**
	 * Returns the monitor of a registry.
	 * @param registry the name of the registry, or {@code null} if there is only one
	 * @return the monitor
	 */
	public LockMonitor monitor(@Nullable String registry) {
		return this.monitors.of(registry);
	}

	private @Nullable OperationResponseBody one(SecurityContext context, String name, @Nullable LockScope scope,
			@Nullable String registry) {
		if (scope == LockScope.CLUSTER) {
			LockMonitor.LockSnapshot snapshot = await(this.monitors.of(registry).inspect(name));
			return snapshot.holders().isEmpty() ? null
					: LockSnapshotsDescriptor.LockSnapshotDescriptor.of(snapshot, names(context));
		}
		OperationResponseBody locks = local((each, counted) -> each.equals(name), names(context), registry);
		return isEmpty(locks) ? null : locks;
	}

	private OperationResponseBody local(BiPredicate<String, String> wanted, ShownNames names,
			@Nullable String registry) {
		if (!this.monitors.isAll(registry)) {
			return describe(registry, this.monitors.of(registry), wanted, names);
		}
		Map<String, LocksDescriptor> locks = new LinkedHashMap<>();
		this.monitors.several().forEach((name, each) -> locks.put(name, describe(name, each, wanted, names)));
		return new RegistriesDescriptor(locks);
	}

	private LocksDescriptor describe(@Nullable String registry, LockMonitor monitor, BiPredicate<String, String> wanted,
			ShownNames names) {
		return LocksDescriptor.of(monitor, wanted, names).with(this.refusals.of(registry), wanted, names);
	}

	private static boolean isEmpty(OperationResponseBody locks) {
		return (locks instanceof RegistriesDescriptor all)
				? all.registries().values().stream().allMatch(LocksDescriptor::isEmpty)
				: locks instanceof LocksDescriptor one && one.isEmpty();
	}

	private ShownNames names(SecurityContext context) {
		return ShownNames.by(this.sanitizer, this.showValues.isShown(context, this.roles));
	}

	private static <T> T await(CompletableFuture<T> inspection) {
		try {
			return inspection.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof IllegalArgumentException refusal) {
				throw new InvalidEndpointRequestException(String.valueOf(refusal.getMessage()),
						"The parameter 'from' must be the value that the previous page returned, or absent");
			}
			throw (ex.getCause() instanceof LockBackendException failure) ? failure : ex;
		}
	}

}
