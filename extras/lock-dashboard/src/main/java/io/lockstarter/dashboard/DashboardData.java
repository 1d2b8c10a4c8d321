package io.lockstarter.dashboard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;

import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.dashboard.ClusterWatch.Snapshot;
import io.lockstarter.dashboard.LockRow.HolderState;
import io.lockstarter.dashboard.ReportExchange.InstanceIncident;
import io.lockstarter.dashboard.ReportExchange.Member;
import io.lockstarter.dashboard.View.HolderView;
import io.lockstarter.dashboard.View.IncidentView;
import io.lockstarter.dashboard.View.InstanceView;
import io.lockstarter.dashboard.View.LockView;
import io.lockstarter.dashboard.View.RowView;
import io.lockstarter.dashboard.View.Totals;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Data of the page, merged from the reports of the instances and the inspection of the
 * backend. It shows the viewer the same names of locks as the endpoint {@code locks}.
 */
final class DashboardData {

	/** Time for which all pages share the same data: 400 ms. */
	private static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

	private static final int MAX_INSTANCES = 200;

	private static final int MAX_INCIDENTS = 100;

	private static final int KEY_BYTES = 9;

	private final LocksEndpoint endpoint;

	private final ClusterWatches watches;

	private final Limits limits;

	private final LongSupplier nanoTime;

	private final Map<LockMonitor, MergedState> latest = new ConcurrentHashMap<>();

	/**
	 * Salt of the digests of hidden names, so that nobody can find out a name by trying.
	 */
	private final byte[] salt = new byte[16];

	DashboardData(LocksEndpoint endpoint, ClusterWatches watches, Limits limits, LongSupplier nanoTime) {
		this.endpoint = endpoint;
		this.watches = watches;
		this.limits = limits;
		this.nanoTime = nanoTime;
		new SecureRandom().nextBytes(this.salt);
	}

	/**
	 * Returns the content of the page.
	 * @param registryName the name of the registry, or {@code null} for the default one
	 * @param mayRelease whether the viewer may force-release locks
	 */
	View view(SecurityContext viewer, @Nullable String registryName, ViewQuery query, boolean mayRelease)
			throws InterruptedException {
		LockMonitor monitor = this.endpoint.monitor(registry(registryName));
		MergedState merged = merged(monitor);
		BinaryOperator<String> names = this.endpoint.shownNames(viewer);
		List<RowView> matching = new ArrayList<>();
		List<RowView> pinned = new ArrayList<>();
		for (LockRow lock : merged.rows()) {
			RowView row = toView(lock, names);
			if (query.matches(row, lock)) {
				matching.add(row);
			}
			if (query.pinned().contains(row.key())) {
				pinned.add(row);
			}
		}
		matching.sort(query.order());
		List<RowView> page = matching.stream().skip(query.offset()).limit(query.limit()).toList();
		pinned.removeAll(page);
		return new View(monitor.instance(), this.watches.address(monitor), merged.problems(), totals(merged),
				matching.size(), page, pinned, instances(merged), incidents(merged, names), mayRelease,
				this.endpoint.registries());
	}

	/**
	 * Returns everything that is known about a lock.
	 * @param registryName the name of the registry, or {@code null} for the default one
	 * @param key the key of the lock's row, or the lock's name
	 */
	LockView lock(SecurityContext viewer, @Nullable String registryName, String key) throws InterruptedException {
		MergedState merged = merged(this.endpoint.monitor(registry(registryName)));
		BinaryOperator<String> names = this.endpoint.shownNames(viewer);
		LockRow found = merged.rows()
			.stream()
			.filter((row) -> hasKey(toView(row, names), key))
			.findFirst()
			.orElse(null);
		List<IncidentView> incidents = incidents(merged, names).stream()
			.filter((incident) -> !incident.hidden()
					&& (incident.name().equals(key) || key.equals(key(incident.name()))))
			.toList();
		if (found == null) {
			return new LockView(null, List.of(), List.of(), incidents);
		}
		return new LockView(toView(found, names), found.holders().stream().map(HolderView::of).toList(), found.waits(),
				incidents);
	}

	private static boolean hasKey(RowView row, String key) {
		return row.key().equals(key) || (!row.hidden() && row.name().equals(key));
	}

	private MergedState merged(LockMonitor monitor) throws InterruptedException {
		ClusterWatch watch = this.watches.watch(monitor);
		long now = this.nanoTime.getAsLong();
		return this.latest.compute(monitor, (key, last) -> {
			if (last != null && now - last.at() < SHARED_NANOS) {
				return last;
			}
			Snapshot snapshot = watch.snapshot();
			List<LockRow> rows = LockRows.of(snapshot, this.limits);
			return new MergedState(now, snapshot, rows, Problems.of(snapshot, rows));
		});
	}

	/** Returns the name of the registry, which is the default one if none is given. */
	@Nullable String registry(@Nullable String name) {
		return (name != null || this.endpoint.registries().isEmpty()) ? name
				: this.endpoint.registries().iterator().next();
	}

	private RowView toView(LockRow row, BinaryOperator<String> names) {
		String name = names.apply(row.metricName(), row.name());
		boolean hidden = !name.equals(row.name());
		return RowView.of(hidden ? "h" + digest(row.name()) : key(row.name()), name, hidden, row);
	}

	/**
	 * Returns the short key of a name, which is the same on each instance: its hash by
	 * FNV-1a. Collisions are extremely rare.
	 */
	private static String key(String name) {
		long hash = 0xcbf29ce484222325L;
		for (int i = 0; i < name.length(); i++) {
			hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
		}
		return "n" + Long.toHexString(hash);
	}

	private String digest(String name) {
		try {
			MessageDigest sha = MessageDigest.getInstance("SHA-256");
			sha.update(this.salt);
			byte[] digest = sha.digest(name.getBytes(StandardCharsets.UTF_8));
			return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, KEY_BYTES));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	private static Totals totals(MergedState merged) {
		List<Member> current = merged.snapshot().members().stream().filter(merged.snapshot()::isCurrent).toList();
		int held = merged.rows().stream().mapToInt((row) -> row.holders().size()).sum();
		int requests = merged.rows().stream().mapToInt(LockRow::requests).sum();
		int reportedInstances = (int) current.stream().filter((member) -> member.report().waiting() > 0).count();
		int unreported = merged.rows()
			.stream()
			.flatMap((row) -> row.waits()
				.stream()
				.filter((wait) -> wait.instance() == null)
				.map((wait) -> row.instances()))
			.mapToInt(Integer::intValue)
			.max()
			.orElse(0);
		return new Totals(merged.rows().size(),
				Math.max(held, current.stream().mapToInt((each) -> each.report().held()).sum()),
				(int) merged.rows()
					.stream()
					.flatMap((row) -> row.holders().stream())
					.map(LockRow.Holder::instance)
					.distinct()
					.count(),
				Math.max(requests, current.stream().mapToInt((each) -> each.report().waiting()).sum()),
				Math.max(reportedInstances, unreported),
				merged.rows().stream().mapToLong(LockRow::longestWaitMillis).max().orElse(0),
				Problems.worst(merged.rows(), LockRow.Kind.WAITED_LONG),
				merged.rows().stream().mapToLong(LockRow::longestHoldMillis).max().orElse(0),
				Problems.worst(merged.rows(), LockRow.Kind.HELD_LONG), merged.snapshot().roster().lost());
	}

	private static List<InstanceView> instances(MergedState merged) {
		List<InstanceView> instances = new ArrayList<>();
		Map<String, List<LockRow.Holder>> unreported = new TreeMap<>(NaturalOrder.INSTANCE);
		merged.rows()
			.stream()
			.flatMap((row) -> row.holders().stream())
			.filter((holder) -> holder.state() == HolderState.KNOWN && holder.thread() == null)
			.forEach(
					(holder) -> unreported.computeIfAbsent(holder.instance(), (name) -> new ArrayList<>()).add(holder));
		for (Member member : merged.snapshot().members()) {
			InstanceReport report = member.report();
			unreported.remove(report.instance());
			long passed = merged.snapshot().isCurrent(member) ? member.ageMillis() : 0;
			instances.add(new InstanceView(report.id(), report.instance(), report.version(),
					state(member, merged.snapshot()), member.ageMillis(), report.upMillis() + member.ageMillis(),
					report.held(), report.longestHoldMillis() + ((report.held() > 0) ? passed : 0), report.waiting(),
					report.longestWaitMillis() + ((report.waiting() > 0) ? passed : 0), report.lost()));
		}
		unreported.forEach((name, holders) -> instances
			.add(new InstanceView("backend " + name, name, null, "unreported", 0, null, holders.size(),
					holders.stream().mapToLong(LockRow.Holder::heldMillis).max().orElse(0), null, 0, null)));
		instances.sort(Comparator.comparing((InstanceView each) -> !each.state().equals("unresponsive"))
			.thenComparing(InstanceView::instance, NaturalOrder.INSTANCE)
			.thenComparing(InstanceView::id));
		return instances.stream().limit(MAX_INSTANCES).toList();
	}

	private static String state(Member member, Snapshot snapshot) {
		if (member.own()) {
			return "own";
		}
		return member.unresponsive() ? "unresponsive" : snapshot.isCurrent(member) ? "running" : "outdated";
	}

	private static List<IncidentView> incidents(MergedState merged, BinaryOperator<String> names) {
		return merged.snapshot()
			.roster()
			.incidents()
			.stream()
			.map((each) -> toView(each, names))
			.sorted(Comparator.comparingLong(IncidentView::agoMillis))
			.limit(MAX_INCIDENTS)
			.toList();
	}

	private static IncidentView toView(InstanceIncident each, BinaryOperator<String> names) {
		InstanceReport.Incident incident = each.incident();
		String name = names.apply(incident.metricName(), incident.name());
		return new IncidentView(incident.agoMillis(), each.instance(), incident.kind(), name,
				!name.equals(incident.name()), incident.owner(), incident.millis());
	}

	/**
	 * State of all locks of a registry.
	 *
	 * @param at the time of the state, in nanoseconds
	 * @param snapshot the snapshot that the state is derived from
	 * @param rows the locks
	 * @param problems the problems, the worst first
	 */
	private record MergedState(long at, Snapshot snapshot, List<LockRow> rows, List<Problem> problems) {
	}

}
