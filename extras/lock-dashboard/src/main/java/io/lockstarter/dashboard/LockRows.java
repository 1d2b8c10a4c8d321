package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.dashboard.ClusterWatch.Snapshot;
import io.lockstarter.dashboard.Inspection.InspectedHolder;
import io.lockstarter.dashboard.Inspection.InspectedLock;
import io.lockstarter.dashboard.LockRow.Holder;
import io.lockstarter.dashboard.LockRow.HolderState;
import io.lockstarter.dashboard.LockRow.InstanceWait;
import io.lockstarter.dashboard.LockRow.Kind;
import io.lockstarter.dashboard.LockRow.Level;
import io.lockstarter.dashboard.LockRow.LockProblem;
import io.lockstarter.dashboard.ReportExchange.Member;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the table, merged from the reports of the instances and the inspection of the
 * backend. An instance's report about itself has precedence, because the backend knows
 * tenures but no threads, and learns of a release later.
 */
final class LockRows {

	/** Time for which a row shows an incident: 5 min. */
	private static final long RECENT_INCIDENT_MILLIS = TimeUnit.MINUTES.toMillis(5);

	/** Time limit of the transfer of a report: 500 ms. */
	private static final long TRANSFER_MILLIS = 500;

	private final Snapshot snapshot;

	private final Limits limits;

	private final Map<String, Row> rows = new LinkedHashMap<>();

	private final Map<String, Member> byInstance = new HashMap<>();

	private LockRows(Snapshot snapshot, Limits limits) {
		this.snapshot = snapshot;
		this.limits = limits;
	}

	static List<LockRow> of(Snapshot snapshot, Limits limits) {
		return new LockRows(snapshot, limits).merge();
	}

	private List<LockRow> merge() {
		List<Member> current = this.snapshot.members().stream().filter(this.snapshot::isCurrent).toList();
		List<Member> others = this.snapshot.members()
			.stream()
			.filter((member) -> !this.snapshot.isCurrent(member))
			.toList();
		for (Member member : current) {
			this.byInstance.putIfAbsent(member.report().instance(), member);
			addHolds(member, member.ageMillis(), HolderState.KNOWN);
			addWaits(member, member.ageMillis());
		}
		Inspection inspection = this.snapshot.successfulInspection();
		if (inspection != null) {
			inspection.locks().forEach((lock) -> addInspected(lock, inspection.ageMillis() + lock.ageMillis()));
			others.stream().filter(Member::unresponsive).forEach((member) -> addUnresponsive(member, inspection));
		}
		else {
			// These instances may have stopped, so the durations are those of the last
			// report
			others.forEach((member) -> {
				addHolds(member, 0, HolderState.OUTDATED);
				addWaits(member, 0);
			});
		}
		this.snapshot.roster().incidents().forEach((each) -> addIncident(each.incident()));
		return this.rows.values().stream().filter(Row::isWorthShowing).map(Row::build).toList();
	}

	private Row row(String name) {
		return this.rows.computeIfAbsent(name, Row::new);
	}

	private void addHolds(Member member, long passed, HolderState state) {
		member.report().holds().forEach((hold) -> addHold(member, hold, passed, state));
	}

	private void addHold(Member member, InstanceReport.Hold hold, long passed, HolderState state) {
		Row row = row(hold.name());
		row.describe(hold.metricName(), hold.type(), hold.permits(), true);
		Holder holder = new Holder(member.report().instance(), hold.owner(), hold.heldMillis() + passed,
				hold.leaseMillis() - member.ageMillis(), (state != HolderState.UNRESPONSIVE) ? hold.renewal() : null,
				hold.token(), hold.count(), state);
		boolean shared = hold.permits() > 1 || hold.type().equals("read");
		row.claims.add(new Claim(holder, member.ageMillis(), shared ? Exclusivity.SHARED : Exclusivity.EXCLUSIVE));
	}

	private void addWaits(Member member, long passed) {
		for (InstanceReport.Wait wait : member.report().waits()) {
			Row row = row(wait.name());
			row.describe(wait.metricName(), wait.type(), wait.permits(), false);
			row.waits.add(new InstanceWait(member.report().instance(), wait.requests(), wait.longestMillis() + passed,
					wait.longest()
						.stream()
						.map((waiter) -> new InstanceReport.Waiter(waiter.owner(), waiter.millis() + passed))
						.toList()));
		}
	}

	private void addInspected(InspectedLock lock, long age) {
		Row row = row(lock.name());
		row.backendRequests = lock.requests();
		row.backendInstances = lock.clients();
		for (InspectedHolder inspected : lock.holders()) {
			row.permits = Math.max(row.permits, inspected.permits());
			if (row.claims.stream().anyMatch((claim) -> claim.isReportedBy(inspected.instance()))) {
				continue;
			}
			Member member = this.byInstance.get(inspected.instance());
			Holder holder = new Holder(inspected.instance(), null, inspected.heldMillis() + age,
					inspected.leaseMillis() - age, null, inspected.token(), 0, HolderState.KNOWN);
			// A report that is older than the hold says nothing about it. A newer report
			// without the hold says that the instance has released the lock
			if (member == null || !member.report().complete() || inspected.heldMillis() + age < member.ageMillis()) {
				row.claims
					.add(new Claim(holder, age, (inspected.permits() > 1) ? Exclusivity.SHARED : Exclusivity.UNKNOWN));
			}
			else {
				row.released.add(holder);
			}
		}
	}

	/**
	 * Adds the holds of an unresponsive instance: those that the backend has, or, until
	 * the backend has been inspected, those that the instance has reported.
	 */
	private void addUnresponsive(Member unresponsive, Inspection inspection) {
		String instance = unresponsive.report().instance();
		boolean inspectedSince = inspection.ageMillis() < unresponsive.ageMillis()
				- ReportExchange.UNRESPONSIVE_AFTER.toMillis();
		for (InstanceReport.Hold hold : unresponsive.report().holds()) {
			Row row = this.rows.get(hold.name());
			if (row != null && row.isHeldBy(instance)) {
				row.describe(hold.metricName(), hold.type(), hold.permits(), true);
				row.confirm(instance, hold.owner());
			}
			else if (!inspectedSince && hold.leaseMillis() > unresponsive.ageMillis()) {
				addHold(unresponsive, hold, unresponsive.ageMillis(), HolderState.UNRESPONSIVE);
			}
		}
	}

	private void addIncident(InstanceReport.Incident incident) {
		Kind kind = incident.problemKind();
		if (kind != null && incident.agoMillis() < RECENT_INCIDENT_MILLIS) {
			Row row = row(incident.name());
			row.describe(incident.metricName(), null, 0, false);
			row.millisSince.merge(kind, incident.agoMillis(), Math::min);
		}
	}

	/**
	 * Exclusivity of a hold.
	 */
	private enum Exclusivity {

		SHARED, EXCLUSIVE, UNKNOWN;

		boolean excludes(Exclusivity other) {
			return this == EXCLUSIVE || other == EXCLUSIVE;
		}

	}

	/**
	 * Holder with the age of the information about it.
	 *
	 * @param holder the holder
	 * @param ageMillis the age of the report or of the inspection
	 * @param exclusivity the exclusivity of the hold
	 */
	private record Claim(Holder holder, long ageMillis, Exclusivity exclusivity) {

		boolean isReportedBy(String instance) {
			return this.holder.instance().equals(instance) && this.holder.thread() != null;
		}

		/** Returns whether this information is older than another holder's hold. */
		boolean isOutdatedBy(Claim latest) {
			return this.ageMillis > latest.holder.heldMillis() - TRANSFER_MILLIS;
		}

		boolean contradicts(Claim other) {
			return !this.holder.instance().equals(other.holder.instance())
					&& this.exclusivity.excludes(other.exclusivity);
		}

	}

	/**
	 * Builder of a row.
	 */
	private final class Row {

		private final String name;

		private @Nullable String metricName;

		private @Nullable String type;

		private int permits = 1;

		private final List<Claim> claims = new ArrayList<>();

		private final List<Holder> released = new ArrayList<>();

		private final List<InstanceWait> waits = new ArrayList<>();

		private int backendRequests;

		private int backendInstances;

		private boolean heldTwice;

		/** Time since the latest incident of each kind. */
		private final Map<Kind, Long> millisSince = new EnumMap<>(Kind.class);

		private Row(String name) {
			this.name = name;
		}

		private void describe(String metricName, @Nullable String type, int permits, boolean held) {
			this.metricName = (this.metricName != null) ? this.metricName : metricName;
			this.type = (type != null && (held || this.type == null)) ? type : this.type;
			this.permits = Math.max(this.permits, permits);
		}

		private boolean isHeldBy(String instance) {
			return this.claims.stream().anyMatch((claim) -> claim.holder().instance().equals(instance));
		}

		private void confirm(String instance, String thread) {
			this.claims.replaceAll((claim) -> {
				Holder holder = claim.holder();
				return !holder.instance().equals(instance) ? claim
						: new Claim(
								new Holder(instance, thread, holder.heldMillis(), holder.leaseMillis(), null,
										holder.token(), 0, HolderState.UNRESPONSIVE),
								claim.ageMillis(), claim.exclusivity());
			});
		}

		private boolean isWorthShowing() {
			return !this.claims.isEmpty() || !this.waits.isEmpty() || !this.millisSince.isEmpty()
					|| (!this.released.isEmpty() && this.backendRequests > 0);
		}

		private LockRow build() {
			List<Holder> holders = holders();
			int reported = this.waits.stream().mapToInt(InstanceWait::requests).sum();
			if (this.backendRequests > reported) {
				this.waits.add(new InstanceWait(null, this.backendRequests - reported, 0, List.of()));
			}
			this.waits.sort(Comparator.comparingLong(InstanceWait::longestMillis).reversed());
			int requests = Math.max(reported, this.backendRequests);
			if (holders.isEmpty() && requests > 0) {
				holders.addAll(this.released.stream()
					.map((holder) -> new Holder(holder.instance(), null, holder.heldMillis(), holder.leaseMillis(),
							null, holder.token(), 0, HolderState.RELEASE_UNCONFIRMED))
					.toList());
			}
			String counterName = (this.metricName != null) ? this.metricName : LocksEndpoint.metricNameOf(this.name);
			LockRow row = new LockRow(this.name, counterName, this.type, this.permits, List.copyOf(holders),
					List.copyOf(this.waits), requests, Math.max(this.waits.size(), this.backendInstances), List.of());
			return new LockRow(row.name(), row.metricName(), row.type(), row.permits(), row.holders(), row.waits(),
					row.requests(), row.instances(), problems(row));
		}

		/**
		 * Returns the current holders. If a lock has been handed over between two
		 * reports, both reports may name a holder; the holder with the latest hold is the
		 * current one.
		 */
		private List<Holder> holders() {
			List<Claim> latestFirst = new ArrayList<>(this.claims);
			latestFirst.sort(Comparator.comparingLong((Claim claim) -> claim.holder().heldMillis()));
			if (!latestFirst.isEmpty()) {
				Claim latest = latestFirst.get(0);
				latestFirst.removeIf((claim) -> claim.contradicts(latest) && claim.isOutdatedBy(latest));
				this.heldTwice = latestFirst.stream().anyMatch((claim) -> claim.contradicts(latest));
			}
			if (this.permits > 1 && latestFirst.size() > this.permits) {
				latestFirst.sort(Comparator.comparingLong(Claim::ageMillis));
				latestFirst = latestFirst.subList(0, this.permits);
			}
			List<Holder> holders = new ArrayList<>(latestFirst.stream().map(Claim::holder).toList());
			holders.sort(Comparator.comparing(Holder::instance)
				.thenComparing(Comparator.comparingLong(Holder::heldMillis).reversed()));
			return holders;
		}

		private List<LockProblem> problems(LockRow row) {
			Limits limits = LockRows.this.limits;
			List<LockProblem> problems = new ArrayList<>();
			this.millisSince.forEach((kind, millis) -> problems.add(incidentProblem(kind, Words.duration(millis))));
			if (this.heldTwice) {
				problems.add(new LockProblem(Kind.HELD_TWICE, Level.BAD, "Held twice"));
			}
			if (row.holders().stream().anyMatch(Row::isNotRenewed)) {
				problems.add(new LockProblem(Kind.NOT_RENEWED, Level.BAD, "Lease not renewed"));
			}
			if (row.longestWaitMillis() >= limits.waitMillis()) {
				problems.add(new LockProblem(Kind.WAITED_LONG, level(row.longestWaitMillis(), limits.waitMillis()),
						"Long wait"));
			}
			boolean contended = row.requests() > 0;
			long limit = contended ? limits.contendedHoldMillis() : limits.holdMillis();
			if (row.longestHoldMillis() >= limit) {
				problems.add(new LockProblem(Kind.HELD_LONG,
						contended ? level(row.longestHoldMillis(), limit) : Level.WARNING, "Long hold"));
			}
			if (row.holders().stream().anyMatch(Holder::isUnresponsive)) {
				problems.add(new LockProblem(Kind.UNRESPONSIVE, Level.WARNING, "Holder does not reply"));
			}
			problems.sort(Comparator.comparing(LockProblem::level).reversed());
			return List.copyOf(problems);
		}

		private static LockProblem incidentProblem(Kind kind, String ago) {
			return switch (kind) {
				case FENCE_REFUSED ->
					new LockProblem(kind, Level.WARNING, "Refused by the database %s ago".formatted(ago));
				case FORCE_RELEASED -> new LockProblem(kind, Level.WARNING, "Force-released %s ago".formatted(ago));
				default -> new LockProblem(kind, Level.BAD, "Lost %s ago".formatted(ago));
			};
		}

		private static boolean isNotRenewed(Holder holder) {
			return "failing".equals(holder.renewal()) || "stopped".equals(holder.renewal());
		}

		private static Level level(long millis, long limit) {
			return (millis >= Limits.BAD_FACTOR * limit) ? Level.BAD : Level.WARNING;
		}

	}

}
