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
import io.lockstarter.dashboard.ClusterWatch.Sight;
import io.lockstarter.dashboard.Inspection.SeenHolder;
import io.lockstarter.dashboard.Inspection.SeenLock;
import io.lockstarter.dashboard.LockRow.Holder;
import io.lockstarter.dashboard.LockRow.HolderState;
import io.lockstarter.dashboard.LockRow.InstanceWait;
import io.lockstarter.dashboard.LockRow.Kind;
import io.lockstarter.dashboard.LockRow.Level;
import io.lockstarter.dashboard.LockRow.Trouble;
import io.lockstarter.dashboard.ReportExchange.Member;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what instances report of their locks and what the backend has. What an
 * instance reports of itself wins: the backend knows tenures, not threads, and hears of a
 * release later.
 */
final class LockRows {

	private static final long RECENT_LOSS_MILLIS = TimeUnit.MINUTES.toMillis(5);

	/** How long a report may be on its way. */
	private static final long TRANSFER_MILLIS = 500;

	private final Sight sight;

	private final Limits limits;

	private final Map<String, Row> rows = new LinkedHashMap<>();

	private final Map<String, Member> byInstance = new HashMap<>();

	private LockRows(Sight sight, Limits limits) {
		this.sight = sight;
		this.limits = limits;
	}

	static List<LockRow> of(Sight sight, Limits limits) {
		return new LockRows(sight, limits).merge();
	}

	private List<LockRow> merge() {
		List<Member> living = this.sight.members().stream().filter(this.sight::isLiving).toList();
		List<Member> others = this.sight.members().stream().filter((member) -> !this.sight.isLiving(member)).toList();
		for (Member member : living) {
			this.byInstance.putIfAbsent(member.report().instance(), member);
			addHolds(member, member.ageMillis(), HolderState.KNOWN);
			addWaits(member, member.ageMillis());
		}
		Inspection inspection = this.sight.answer();
		if (inspection != null) {
			inspection.locks().forEach((lock) -> addSeen(lock, inspection.ageMillis() + lock.ageMillis()));
			others.stream().filter(Member::silent).forEach((silent) -> addSilent(silent, inspection));
		}
		else {
			// What is not known to go on is told as it was
			others.forEach((member) -> {
				addHolds(member, 0, HolderState.OUTDATED);
				addWaits(member, 0);
			});
		}
		this.sight.roster().incidents().forEach((each) -> addLoss(each.incident()));
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
				hold.leaseMillis() - member.ageMillis(), (state != HolderState.SILENT) ? hold.renewal() : null,
				hold.token(), hold.count(), state);
		boolean shared = hold.permits() > 1 || hold.type().equals("read");
		row.claims.add(new Claim(holder, member.ageMillis(), shared ? Sharing.SHARED : Sharing.EXCLUSIVE));
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

	private void addSeen(SeenLock lock, long age) {
		Row row = row(lock.name());
		row.seenRequests = lock.requests();
		row.seenInstances = lock.clients();
		for (SeenHolder seen : lock.holders()) {
			row.permits = Math.max(row.permits, seen.permits());
			if (row.claims.stream().anyMatch((claim) -> claim.isReportedBy(seen.instance()))) {
				continue;
			}
			Member member = this.byInstance.get(seen.instance());
			Holder holder = new Holder(seen.instance(), null, seen.heldMillis() + age, seen.leaseMillis() - age, null,
					seen.token(), 0, HolderState.KNOWN);
			// A report may be from before the instance had the lock; else it says that it
			// has not
			if (member == null || !member.report().complete() || seen.heldMillis() + age < member.ageMillis()) {
				row.claims.add(new Claim(holder, age, (seen.permits() > 1) ? Sharing.SHARED : Sharing.UNKNOWN));
			}
			else {
				row.unclaimed.add(holder);
			}
		}
	}

	/**
	 * Adds what a silent instance has: what it was seen to have, and, until that is
	 * looked at, what it has reported.
	 */
	private void addSilent(Member silent, Inspection inspection) {
		String instance = silent.report().instance();
		boolean looked = inspection.ageMillis() < silent.ageMillis() - ReportExchange.SILENCE.toMillis();
		for (InstanceReport.Hold hold : silent.report().holds()) {
			Row row = this.rows.get(hold.name());
			if (row != null && row.isHeldBy(instance)) {
				row.describe(hold.metricName(), hold.type(), hold.permits(), true);
				row.confirm(instance, hold.owner());
			}
			else if (!looked && hold.leaseMillis() > silent.ageMillis()) {
				addHold(silent, hold, silent.ageMillis(), HolderState.SILENT);
			}
		}
	}

	private void addLoss(InstanceReport.Incident incident) {
		Kind kind = incident.consequence();
		if (kind != null && incident.agoMillis() < RECENT_LOSS_MILLIS) {
			Row row = row(incident.name());
			row.describe(incident.metricName(), null, 0, false);
			row.millisSince.merge(kind, incident.agoMillis(), Math::min);
		}
	}

	/**
	 * Whether others may hold a lock at the same time.
	 */
	private enum Sharing {

		SHARED, EXCLUSIVE, UNKNOWN;

		boolean excludes(Sharing other) {
			return this == EXCLUSIVE || other == EXCLUSIVE;
		}

	}

	/**
	 * A holder, and how old the news of it is.
	 */
	private record Claim(Holder holder, long ageMillis, Sharing sharing) {

		boolean isReportedBy(String instance) {
			return this.holder.instance().equals(instance) && this.holder.thread() != null;
		}

		/** Whether it is about a moment before another holder had the lock. */
		boolean isOutdatedBy(Claim latest) {
			return this.ageMillis > latest.holder.heldMillis() - TRANSFER_MILLIS;
		}

		boolean contradicts(Claim other) {
			return !this.holder.instance().equals(other.holder.instance()) && this.sharing.excludes(other.sharing);
		}

	}

	/**
	 * A row that is being put together.
	 */
	private final class Row {

		private final String name;

		private @Nullable String metricName;

		private @Nullable String type;

		private int permits = 1;

		private final List<Claim> claims = new ArrayList<>();

		private final List<Holder> unclaimed = new ArrayList<>();

		private final List<InstanceWait> waits = new ArrayList<>();

		private int seenRequests;

		private int seenInstances;

		private boolean heldTwice;

		/** What has happened to it lately. */
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
				Holder seen = claim.holder();
				return !seen.instance().equals(instance) ? claim
						: new Claim(new Holder(instance, thread, seen.heldMillis(), seen.leaseMillis(), null,
								seen.token(), 0, HolderState.SILENT), claim.ageMillis(), claim.sharing());
			});
		}

		private boolean isWorthShowing() {
			return !this.claims.isEmpty() || !this.waits.isEmpty() || !this.millisSince.isEmpty()
					|| (!this.unclaimed.isEmpty() && this.seenRequests > 0);
		}

		private LockRow build() {
			List<Holder> holders = holders();
			int reported = this.waits.stream().mapToInt(InstanceWait::requests).sum();
			if (this.seenRequests > reported) {
				this.waits.add(new InstanceWait(null, this.seenRequests - reported, 0, List.of()));
			}
			this.waits.sort(Comparator.comparingLong(InstanceWait::longestMillis).reversed());
			int requests = Math.max(reported, this.seenRequests);
			if (holders.isEmpty() && requests > 0) {
				holders.addAll(this.unclaimed.stream()
					.map((holder) -> new Holder(holder.instance(), null, holder.heldMillis(), holder.leaseMillis(),
							null, holder.token(), 0, HolderState.UNCLAIMED))
					.toList());
			}
			String counted = (this.metricName != null) ? this.metricName : LocksEndpoint.metricNameOf(this.name);
			LockRow row = new LockRow(this.name, counted, this.type, this.permits, List.copyOf(holders),
					List.copyOf(this.waits), requests, Math.max(this.waits.size(), this.seenInstances), List.of());
			return new LockRow(row.name(), row.metricName(), row.type(), row.permits(), row.holders(), row.waits(),
					row.requests(), row.instances(), troubles(row));
		}

		/**
		 * Returns the holders of the moment. Reports of different moments may both name
		 * one of a lock that passed on meanwhile: then the latest has it.
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

		private List<Trouble> troubles(LockRow row) {
			Limits limits = LockRows.this.limits;
			List<Trouble> troubles = new ArrayList<>();
			this.millisSince.forEach((kind, millis) -> troubles.add(happened(kind, Words.duration(millis))));
			if (this.heldTwice) {
				troubles.add(new Trouble(Kind.HELD_TWICE, Level.BAD, "Held twice"));
			}
			if (row.holders().stream().anyMatch(Row::isNotRenewed)) {
				troubles.add(new Trouble(Kind.NOT_RENEWED, Level.BAD, "Lease is not renewed"));
			}
			if (row.longestWaitMillis() >= limits.waitMillis()) {
				troubles.add(new Trouble(Kind.WAITED_LONG, level(row.longestWaitMillis(), limits.waitMillis()),
						"Long wait"));
			}
			boolean contended = row.requests() > 0;
			long limit = contended ? limits.contendedHoldMillis() : limits.holdMillis();
			if (row.longestHoldMillis() >= limit) {
				troubles.add(new Trouble(Kind.HELD_LONG,
						contended ? level(row.longestHoldMillis(), limit) : Level.WARNING, "Long hold"));
			}
			if (row.holders().stream().anyMatch(Holder::isSilent)) {
				troubles.add(new Trouble(Kind.SILENT, Level.WARNING, "Holder does not answer"));
			}
			troubles.sort(Comparator.comparing(Trouble::level).reversed());
			return List.copyOf(troubles);
		}

		private static Trouble happened(Kind kind, String ago) {
			return switch (kind) {
				case FENCE_REFUSED -> new Trouble(kind, Level.WARNING, "Refused by the database %s ago".formatted(ago));
				case FORCE_RELEASED -> new Trouble(kind, Level.WARNING, "Released by force %s ago".formatted(ago));
				default -> new Trouble(kind, Level.BAD, "Lost %s ago".formatted(ago));
			};
		}

		private static boolean isNotRenewed(Holder holder) {
			return "failing".equals(holder.renewal()) || "stopped".equals(holder.renewal());
		}

		private static Level level(long millis, long limit) {
			return (millis >= Limits.BAD * limit) ? Level.BAD : Level.WARNING;
		}

	}

}
