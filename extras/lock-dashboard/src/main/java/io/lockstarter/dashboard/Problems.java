package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.lockstarter.dashboard.ClusterWatch.Snapshot;
import io.lockstarter.dashboard.LockRow.Kind;
import io.lockstarter.dashboard.LockRow.Level;
import io.lockstarter.dashboard.ReportExchange.Member;
import org.jspecify.annotations.Nullable;

/**
 * Problems in the summary of the page, the worst first.
 */
final class Problems {

	private static final int MAX_NAMES = 3;

	private static final long RECENT_FAILURE_MILLIS = 60_000;

	private final Snapshot snapshot;

	private final List<LockRow> rows;

	private final List<Problem> problems = new ArrayList<>();

	private Problems(Snapshot snapshot, List<LockRow> rows) {
		this.snapshot = snapshot;
		this.rows = rows;
	}

	static List<Problem> of(Snapshot snapshot, List<LockRow> rows) {
		return new Problems(snapshot, rows).find();
	}

	private List<Problem> find() {
		addBackendProblems();
		addLockProblems();
		addUnresponsiveInstances();
		addFailedRequests();
		this.problems.sort(Comparator.comparing(Problem::level).reversed());
		return List.copyOf(this.problems);
	}

	private void addBackendProblems() {
		Inspection inspection = this.snapshot.inspection();
		String here = this.snapshot.members().get(0).report().instance();
		if (this.snapshot.unresponsiveMillis() != null) {
			String reason = (inspection != null && inspection.failure() != null) ? inspection.failure()
					: "no reply in time";
			add(Level.BAD, "Redis does not reply",
					"Acquire requests fail. Held locks stay valid until their leases end. The locks of other instances are"
							+ " shown as %s last knew them. Reason: %s.".formatted(here, reason),
					this.snapshot.unresponsiveMillis());
			return;
		}
		if (inspection == null) {
			return;
		}
		if (inspection.failure() != null) {
			add(Level.BAD, "Redis does not reply to another instance", "Reason: %s.".formatted(inspection.failure()),
					null);
		}
		else if (inspection.refusal() != null) {
			add(Level.BAD, "Redis refuses writes",
					"Acquire requests fail. Held locks stay valid as long as their leases are renewed. Reason: %s."
						.formatted(inspection.refusal()),
					null);
		}
		addMessageProblem(inspection);
		if (inspection.limitation() != null) {
			add(Level.WARNING, "The table may be incomplete",
					"Redis does not list its locks, so the table contains only those of instances with lock-dashboard. Reason: %s."
						.formatted(inspection.limitation()),
					null);
		}
	}

	private void addMessageProblem(Inspection inspection) {
		String refusal = this.snapshot.roster().refusal();
		String reason = Objects.requireNonNullElse(inspection.messages(),
				Objects.requireNonNullElse(refusal, "messages do not arrive"));
		boolean refused = refusal != null
				|| (inspection.messages() != null && inspection.messages().startsWith("refused"));
		if (refused || this.snapshot.roster().subscriptionLost()) {
			add(Level.WARNING, "Waiting is slower: Redis delivers no messages",
					"Locks work, but each waiting request polls Redis ten times a second because it is not woken up."
							+ " Instances cannot report to each other, so this page shows only what Redis knows. Reason: %s."
								.formatted(reason),
					null);
		}
	}

	private void addLockProblems() {
		addLostLocks();
		addLocksWith(Kind.HELD_TWICE, "is held by two instances", "are held by two instances",
				"Each of the two acts as the only holder. The one with the lower fencing token has lost the lock, and detects"
						+ " the loss at its next renewal.");
		addLocksWith(Kind.NOT_RENEWED, "is not renewed", "are not renewed",
				"When a lease ends, another owner can acquire the lock while its holder is still working.");
		addLocksWith(Kind.FORCE_RELEASED, "was force-released in the last 5 minutes",
				"were force-released in the last 5 minutes",
				"A holder continues until it detects the release. Its work may have overlapped with that of the next holder.");
		addLocksWith(Kind.FENCE_REFUSED, "was refused by the database in the last 5 minutes",
				"were refused by the database in the last 5 minutes",
				"Another owner has held the lock since. The late transaction was rolled back or did not begin, so no data"
						+ " was overwritten.");
		addLocksWith(Kind.WAITED_LONG, "has an unusually long wait", "have unusually long waits",
				"The longest request has waited for %s.".formatted(longest(LockRow::longestWaitMillis)));
		addLocksWith(Kind.HELD_LONG, "is held unusually long", "are held unusually long",
				"The longest hold has lasted for %s.".formatted(longest(LockRow::longestHoldMillis)));
	}

	private String longest(ToLongFunction<LockRow> millis) {
		return Words.duration(this.rows.stream().mapToLong(millis).max().orElse(0));
	}

	private void addLostLocks() {
		long lost = this.rows.stream().filter((row) -> has(row, Kind.LOST)).count();
		if (lost > 0) {
			add(Level.BAD, Words.count(lost, "lock was lost", "locks were lost") + " in the last 5 minutes",
					((lost == 1) ? "The work of its holder" : "The work of their holders")
							+ " may have overlapped with that of the next holder.",
					null);
		}
	}

	private void addLocksWith(Kind kind, String one, String many, String detail) {
		long number = this.rows.stream().filter((row) -> has(row, kind)).count();
		if (number > 0) {
			add(worst(this.rows, kind), Words.count(number, "lock " + one, "locks " + many), detail, null);
		}
	}

	private static boolean has(LockRow row, Kind kind) {
		return row.level(kind) != Level.GOOD;
	}

	/**
	 * Returns the severity of the worst problem of a kind, or {@link Level#GOOD} if there
	 * is no such problem.
	 */
	static Level worst(List<LockRow> rows, Kind kind) {
		return rows.stream().map((row) -> row.level(kind)).max(Comparator.naturalOrder()).orElse(Level.GOOD);
	}

	private void addFailedRequests() {
		List<String> failing = this.snapshot.members()
			.stream()
			.filter((member) -> member.report()
				.incidents()
				.stream()
				.anyMatch((incident) -> incident.kind().equals(IncidentRecorder.Kind.FAILED.name())
						&& incident.agoMillis() + member.ageMillis() < RECENT_FAILURE_MILLIS))
			.map((member) -> member.report().instance())
			.toList();
		if (!failing.isEmpty()) {
			add(Level.WARNING, "Acquire requests failed in the last minute",
					"Redis did not reply to %s in time, or refused the commands.".formatted(names(failing)), null);
		}
	}

	private void addUnresponsiveInstances() {
		List<Member> unresponsive = this.snapshot.members().stream().filter(Member::unresponsive).toList();
		if (!unresponsive.isEmpty()) {
			boolean one = unresponsive.size() == 1;
			String names = names(unresponsive.stream().map((member) -> member.report().instance()).toList());
			add(Level.WARNING, one ? names + " does not reply" : unresponsive.size() + " instances do not reply",
					one ? "The instance has ended, is frozen, or cannot reach Redis."
							: names + " have ended, are frozen, or cannot reach Redis.",
					unresponsive.stream().mapToLong(Member::ageMillis).max().orElse(0));
		}
	}

	private static String names(List<String> instances) {
		String first = instances.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
		return (instances.size() > MAX_NAMES) ? first + " and others" : first;
	}

	private void add(Level level, String title, String detail, @Nullable Long agoMillis) {
		this.problems.add(new Problem(level, title, detail, agoMillis));
	}

}
