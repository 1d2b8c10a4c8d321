package io.lockstarter.actuate;

import java.util.ArrayList;
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
 * Lists the locks this instance holds or waits for, or those of all instances.
 */
// What is more than looking must be asked for twice: by a property and by access.
@RegisterReflectionForBinding({ LocksDescriptor.class, RegistriesDescriptor.class, SightingsDescriptor.class })
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 100;

	private static final int LARGEST_LIMIT = 1000;

	/** Locks that are inspected for a page of one metric name. */
	private static final int MOST_FILTERED = 2000;

	private final MonitorChoice monitors;

	private final Sanitizer sanitizer;

	private final Show showValues;

	private final Set<String> roles;

	private final RecentRefusals refusals;

	/**
	 * List the locks of a monitor.
	 * @param monitor whose locks to list
	 * @param sanitizer decides about each name, with the lock's metric name as its key,
	 * of which the locks of all instances have what their names tell
	 * @param showValues when names are shown at all
	 * @param roles who may see them, if not everybody may
	 */
	public LocksEndpoint(LockMonitor monitor, Sanitizer sanitizer, Show showValues, Set<String> roles) {
		this(monitor, Map.of(), sanitizer, showValues, roles);
	}

	/**
	 * List the locks of several registries.
	 * @param monitor the monitor of the default registry
	 * @param registries the monitors of all by their names; empty if there is only one
	 * @param sanitizer decides about each name, with the lock's metric name as its key,
	 * of which the locks of all instances have what their names tell
	 * @param showValues when names are shown at all
	 * @param roles who may see them, if not everybody may
	 */
	public LocksEndpoint(LockMonitor monitor, Map<String, LockMonitor> registries, Sanitizer sanitizer, Show showValues,
			Set<String> roles) {
		this(monitor, registries, sanitizer, showValues, roles, new RecentRefusals());
	}

	/**
	 * Lists the locks of several registries, with refusals of the database.
	 * @param monitor the monitor of the default registry
	 * @param registries the monitors of all by their names; empty if there is only one
	 * @param sanitizer decides about each name, with the lock's metric name as its key,
	 * of which the locks of all instances have what their names tell
	 * @param showValues when names are shown at all
	 * @param roles who may see them, if not everybody may
	 * @param refusals the refusals to show
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
	 * List all locks, or one whose name cannot be a path.
	 * @param context who looks
	 * @param name the name of the only lock wanted, if not all are
	 * @param scope whose locks; by default those of this instance
	 * @param from where to begin among the locks of all instances: nowhere, or what the
	 * page before says
	 * @param limit how many locks of all instances fill a page, which may have some more
	 * @param metricName the name under which the locks count in meters, if not all are
	 * wanted: what meters and alerts call their name
	 * @param registry which of several registries; by default all of them, which those of
	 * all instances cannot be asked of
	 * @return a {@link LocksDescriptor}, or a {@link RegistriesDescriptor} of several, or
	 * a {@link SightingsDescriptor} of the locks of all instances; of one lock what
	 * {@link #lock lock} returns
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
				: answer(monitor.locks(begin, size));
		return SightingsDescriptor.of(page, names(context));
	}

	/** Goes through pages until one of the metric name is full, or for long enough. */
	private static LockMonitor.LockPage ofMetricName(LockMonitor monitor, String metricName, String from, int size) {
		Set<String> known = Stream.concat(
				monitor.held().stream().filter((lock) -> lock.metricName().equals(metricName)).map(Held::name),
				monitor.waiting().stream().filter((lock) -> lock.metricName().equals(metricName)).map(Waiting::name))
			.collect(Collectors.toSet());
		List<LockMonitor.LockSnapshot> found = new ArrayList<>();
		int seen = 0;
		LockMonitor.LockPage page;
		String next = from;
		do {
			page = answer(monitor.locks(next, size));
			page.locks()
				.stream()
				.filter((lock) -> known.contains(lock.name()) || metricNameOf(lock.name()).equals(metricName))
				.forEach(found::add);
			seen += page.locks().size();
			next = page.next();
		}
		while (!next.isEmpty() && found.size() < size && seen < MOST_FILTERED);
		return new LockMonitor.LockPage(found, next, page.note());
	}

	/**
	 * Returns the metric name that a lock of a name counts under if an annotation has
	 * named it.
	 * @param name the lock's name
	 * @return what comes before the first colon that no backslash escapes, or all of it
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
	 * List one lock.
	 * @param context who looks
	 * @param path the lock's name, of which each part between slashes is an element
	 * @param scope whose locks; by default those of this instance
	 * @param registry which of several registries; by default all of them, which those of
	 * all instances cannot be asked of
	 * @return the holds of that lock and the requests for it, or a
	 * {@link SightingsDescriptor.SightingDescriptor} if all instances are meant, or
	 * {@code null} if there is none
	 */
	@ReadOperation
	public @Nullable OperationResponseBody lock(SecurityContext context,
			@Selector(match = Match.ALL_REMAINING) String[] path, @Nullable LockScope scope,
			@Nullable String registry) {
		return one(context, String.join("/", path), scope, registry);
	}

	/**
	 * Return what this endpoint shows of the names of locks.
	 * @param context who looks
	 * @return makes the name, or what stands for it, of a lock's metric name and name
	 */
	public BinaryOperator<String> shownNames(SecurityContext context) {
		return names(context)::of;
	}

	/**
	 * Return the registries that a request has to choose from.
	 * @return their names, the default one first; empty if there is only one
	 */
	public Set<String> registries() {
		return this.monitors.several().keySet();
	}

	/**
	 * Return whose locks this endpoint lists.
	 * @param registry which of several registries; {@code null} if there is only one
	 * @return the monitor
	 */
	public LockMonitor monitor(@Nullable String registry) {
		return this.monitors.of(registry);
	}

	private @Nullable OperationResponseBody one(SecurityContext context, String name, @Nullable LockScope scope,
			@Nullable String registry) {
		if (scope == LockScope.CLUSTER) {
			LockMonitor.LockSnapshot sighting = answer(this.monitors.of(registry).inspect(name));
			return sighting.holders().isEmpty() ? null
					: SightingsDescriptor.SightingDescriptor.of(sighting, names(context));
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

}
