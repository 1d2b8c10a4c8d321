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
import io.lockstarter.dashboard.ClusterWatch.Sight;
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
 * Makes what the page shows of what the instances and the backend tell, with the names
 * that the endpoint of locks would show the viewer.
 */
final class DashboardData {

	/** However many pages are looked at, all is put together that often at most. */
	private static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

	private static final int MOST_INSTANCES = 200;

	private static final int MOST_INCIDENTS = 100;

	private static final int KEY_BYTES = 9;

	private final LocksEndpoint endpoint;

	private final ClusterWatches watches;

	private final Limits limits;

	private final LongSupplier nanoTime;

	private final Map<LockMonitor, Merged> latest = new ConcurrentHashMap<>();

	/** So that nobody finds out a hidden name by trying. */
	private final byte[] salt = new byte[16];

	DashboardData(LocksEndpoint endpoint, ClusterWatches watches, Limits limits, LongSupplier nanoTime) {
		this.endpoint = endpoint;
		this.watches = watches;
		this.limits = limits;
		this.nanoTime = nanoTime;
		new SecureRandom().nextBytes(this.salt);
	}

	/**
	 * Returns what a page shows.
	 * @param wanted which of several registries, if not the default one
	 * @param mayRelease whether the viewer may release locks by force
	 */
	View view(SecurityContext viewer, @Nullable String wanted, ViewQuery query, boolean mayRelease)
			throws InterruptedException {
		LockMonitor monitor = this.endpoint.monitor(registry(wanted));
		Merged merged = merged(monitor);
		BinaryOperator<String> names = this.endpoint.shownNames(viewer);
		List<RowView> matching = new ArrayList<>();
		List<RowView> pinned = new ArrayList<>();
		for (LockRow lock : merged.rows()) {
			RowView row = shown(lock, names);
			if (query.isPassedBy(row, lock)) {
				matching.add(row);
			}
			if (query.pinned().contains(row.key())) {
				pinned.add(row);
			}
		}
		matching.sort(query.order());
		List<RowView> page = matching.stream().skip(query.offset()).limit(query.limit()).toList();
		pinned.removeAll(page);
		return new View(monitor.instance(), merged.problems(), totals(merged), matching.size(), page, pinned,
				instances(merged), incidents(merged, names), mayRelease, this.endpoint.registries());
	}

	/**
	 * Returns all that is known of a lock.
	 * @param wanted which of several registries, if not the default one
	 * @param key the key of its row, or its name
	 */
	LockView lock(SecurityContext viewer, @Nullable String wanted, String key) throws InterruptedException {
		Merged merged = merged(this.endpoint.monitor(registry(wanted)));
		BinaryOperator<String> names = this.endpoint.shownNames(viewer);
		LockRow found = merged.rows()
			.stream()
			.filter((row) -> isMeant(key, shown(row, names)))
			.findFirst()
			.orElse(null);
		List<IncidentView> incidents = incidents(merged, names).stream()
			.filter((incident) -> !incident.hidden()
					&& (incident.name().equals(key) || key.equals(key(incident.name()))))
			.toList();
		if (found == null) {
			return new LockView(null, List.of(), List.of(), incidents);
		}
		return new LockView(shown(found, names), found.holders().stream().map(HolderView::of).toList(), found.waits(),
				incidents);
	}

	private static boolean isMeant(String key, RowView row) {
		return row.key().equals(key) || (!row.hidden() && row.name().equals(key));
	}

	private Merged merged(LockMonitor monitor) throws InterruptedException {
		ClusterWatch watch = this.watches.look(monitor);
		long now = this.nanoTime.getAsLong();
		return this.latest.compute(monitor, (key, last) -> {
			if (last != null && now - last.at() < SHARED_NANOS) {
				return last;
			}
			Sight sight = watch.sight();
			List<LockRow> rows = LockRows.of(sight, this.limits);
			return new Merged(now, sight, rows, Problems.of(sight, rows));
		});
	}

	/** The registry that is wanted, or the default one of several. */
	@Nullable String registry(@Nullable String wanted) {
		return (wanted != null || this.endpoint.registries().isEmpty()) ? wanted
				: this.endpoint.registries().iterator().next();
	}

	private RowView shown(LockRow row, BinaryOperator<String> names) {
		String name = names.apply(row.metricName(), row.name());
		boolean hidden = !name.equals(row.name());
		return RowView.of(hidden ? "h" + digest(row.name()) : key(row.name()), name, hidden, row);
	}

	/**
	 * Short, and the same on each instance: FNV-1a, of which two names hardly ever agree.
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

	private static Totals totals(Merged merged) {
		List<Member> living = merged.sight().members().stream().filter(merged.sight()::isLiving).toList();
		int held = merged.rows().stream().mapToInt((row) -> row.holders().size()).sum();
		int requests = merged.rows().stream().mapToInt(LockRow::requests).sum();
		int reportedInstances = (int) living.stream().filter((member) -> member.report().waiting() > 0).count();
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
				Math.max(held, living.stream().mapToInt((each) -> each.report().held()).sum()),
				(int) merged.rows()
					.stream()
					.flatMap((row) -> row.holders().stream())
					.map(LockRow.Holder::instance)
					.distinct()
					.count(),
				Math.max(requests, living.stream().mapToInt((each) -> each.report().waiting()).sum()),
				Math.max(reportedInstances, unreported),
				merged.rows().stream().mapToLong(LockRow::longestWaitMillis).max().orElse(0),
				merged.rows().stream().mapToLong(LockRow::longestHoldMillis).max().orElse(0),
				merged.sight().roster().lost());
	}

	private static List<InstanceView> instances(Merged merged) {
		List<InstanceView> instances = new ArrayList<>();
		Map<String, List<LockRow.Holder>> unreported = new TreeMap<>(NaturalOrder.INSTANCE);
		merged.rows()
			.stream()
			.flatMap((row) -> row.holders().stream())
			.filter((holder) -> holder.state() == HolderState.KNOWN && holder.thread() == null)
			.forEach(
					(holder) -> unreported.computeIfAbsent(holder.instance(), (name) -> new ArrayList<>()).add(holder));
		for (Member member : merged.sight().members()) {
			InstanceReport report = member.report();
			unreported.remove(report.instance());
			long passed = merged.sight().isLiving(member) ? member.ageMillis() : 0;
			instances.add(new InstanceView(report.id(), report.instance(), report.version(),
					state(member, merged.sight()), member.ageMillis(), report.upMillis() + member.ageMillis(),
					report.held(), report.longestHoldMillis() + ((report.held() > 0) ? passed : 0), report.waiting(),
					report.longestWaitMillis() + ((report.waiting() > 0) ? passed : 0), report.lost()));
		}
		unreported.forEach((name, holders) -> instances
			.add(new InstanceView("backend " + name, name, null, "unreported", 0, null, holders.size(),
					holders.stream().mapToLong(LockRow.Holder::heldMillis).max().orElse(0), null, 0, null)));
		instances.sort(Comparator.comparing((InstanceView each) -> !each.state().equals("silent"))
			.thenComparing(InstanceView::instance, NaturalOrder.INSTANCE)
			.thenComparing(InstanceView::id));
		return instances.stream().limit(MOST_INSTANCES).toList();
	}

	private static String state(Member member, Sight sight) {
		if (member.own()) {
			return "own";
		}
		return member.silent() ? "silent" : sight.isLiving(member) ? "living" : "outdated";
	}

	private static List<IncidentView> incidents(Merged merged, BinaryOperator<String> names) {
		return merged.sight()
			.roster()
			.incidents()
			.stream()
			.map((each) -> shown(each, names))
			.sorted(Comparator.comparingLong(IncidentView::agoMillis))
			.limit(MOST_INCIDENTS)
			.toList();
	}

	private static IncidentView shown(InstanceIncident each, BinaryOperator<String> names) {
		InstanceReport.Incident incident = each.incident();
		String name = names.apply(incident.metricName(), incident.name());
		return new IncidentView(incident.agoMillis(), each.instance(), incident.kind(), name,
				!name.equals(incident.name()), incident.owner(), incident.millis());
	}

	/**
	 * What is known at a moment, put together.
	 *
	 * @param at when
	 */
	private record Merged(long at, Sight sight, List<LockRow> rows, List<Problem> problems) {
	}

}
