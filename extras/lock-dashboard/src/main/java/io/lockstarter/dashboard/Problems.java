package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.lockstarter.dashboard.ClusterWatch.Sight;
import io.lockstarter.dashboard.LockRow.Kind;
import io.lockstarter.dashboard.LockRow.Level;
import io.lockstarter.dashboard.ReportExchange.Member;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is wrong with locks as a whole, the worst first.
 */
final class Problems {

	private static final int MOST_NAMES = 3;

	private static final long RECENT_FAILURE_MILLIS = 60_000;

	private final Sight sight;

	private final List<LockRow> rows;

	private final List<Problem> found = new ArrayList<>();

	private Problems(Sight sight, List<LockRow> rows) {
		this.sight = sight;
		this.rows = rows;
	}

	static List<Problem> of(Sight sight, List<LockRow> rows) {
		return new Problems(sight, rows).find();
	}

	private List<Problem> find() {
		backend();
		locks();
		instances();
		failures();
		this.found.sort(Comparator.comparing(Problem::level).reversed());
		return List.copyOf(this.found);
	}

	private void backend() {
		Inspection inspection = this.sight.inspection();
		String here = this.sight.members().get(0).report().instance();
		if (this.sight.silentMillis() != null) {
			String why = (inspection != null && inspection.failure() != null) ? inspection.failure()
					: "no reply in time";
			add(Level.BAD, "Redis does not answer",
					"New locks fail. A lock that is held stays valid until its lease ends. What other instances hold is shown"
							+ " as %s knew it last. Reason: %s.".formatted(here, why),
					this.sight.silentMillis());
			return;
		}
		if (inspection == null) {
			return;
		}
		if (inspection.failure() != null) {
			add(Level.BAD, "Redis does not answer another instance", inspection.failure(), null);
		}
		else if (inspection.refusal() != null) {
			add(Level.BAD, "Redis refuses writes",
					"New locks fail: %s. A lock that is held stays valid for as long as its lease is renewed."
						.formatted(inspection.refusal()),
					null);
		}
		messages(inspection);
		if (inspection.limitation() != null) {
			add(Level.WARNING, "Locks of some instances may be missing here",
					"Redis does not list its locks: %s. Instances with lock-dashboard report theirs."
						.formatted(inspection.limitation()),
					null);
		}
	}

	private void messages(Inspection inspection) {
		String refusal = this.sight.roster().refusal();
		String why = Objects.requireNonNullElse(inspection.messages(),
				Objects.requireNonNullElse(refusal, "they do not arrive"));
		boolean refused = refusal != null
				|| (inspection.messages() != null && inspection.messages().startsWith("refused"));
		if (refused || this.sight.roster().deaf()) {
			add(Level.WARNING, "Waiting is slower: Redis delivers no messages",
					"Locks work, but a waiting request is not woken: it asks Redis ten times a second. Instances cannot"
							+ " report to one another, so this page shows what Redis knows. Reason: %s.".formatted(why),
					null);
		}
	}

	private void locks() {
		lost();
		count(Kind.HELD_TWICE, "is held by two instances", "are held by two instances",
				"Each believes that it is the only holder. The one with the lower fencing token has lost the lock, and learns"
						+ " of it at its next renewal.");
		count(Kind.NOT_RENEWED, "is not renewed", "are not renewed",
				"When their leases end, others can take them while their holders still work.");
		count(Kind.FORCE_RELEASED, "was released by force in the last 5 minutes",
				"were released by force in the last 5 minutes",
				"A holder goes on until it notices, and may have overlapped with the next one.");
		count(Kind.FENCE_REFUSED, "was refused by the database in the last 5 minutes",
				"were refused by the database in the last 5 minutes",
				"Another owner has held the lock since. The late transaction was rolled back or never begun, so that no data"
						+ " was overwritten.");
		count(Kind.WAITED_LONG, "is waited for unusually long", "are waited for unusually long",
				"The longest wait has lasted for %s.".formatted(longest(LockRow::longestWaitMillis)));
		count(Kind.HELD_LONG, "is held for unusually long", "are held for unusually long",
				"The longest hold has lasted for %s.".formatted(longest(LockRow::longestHoldMillis)));
	}

	private String longest(ToLongFunction<LockRow> millis) {
		return Words.duration(this.rows.stream().mapToLong(millis).max().orElse(0));
	}

	private void lost() {
		long lost = this.rows.stream().filter((row) -> has(row, Kind.LOST)).count();
		if (lost > 0) {
			add(Level.BAD, Words.count(lost, "lock was lost", "locks were lost") + " in the last 5 minutes",
					((lost == 1) ? "Work under it" : "Work under them") + " may have overlapped with other work.",
					null);
		}
	}

	private void count(Kind kind, String one, String many, String detail) {
		long number = this.rows.stream().filter((row) -> has(row, kind)).count();
		if (number > 0) {
			Level level = this.rows.stream()
				.flatMap((row) -> row.troubles().stream())
				.filter((trouble) -> trouble.kind() == kind)
				.map(LockRow.Trouble::level)
				.max(Comparator.naturalOrder())
				.orElse(Level.WARNING);
			add(level, Words.count(number, "lock " + one, "locks " + many), detail, null);
		}
	}

	private static boolean has(LockRow row, Kind kind) {
		return row.troubles().stream().anyMatch((trouble) -> trouble.kind() == kind);
	}

	private void failures() {
		List<String> failing = this.sight.members()
			.stream()
			.filter((member) -> member.report()
				.incidents()
				.stream()
				.anyMatch((incident) -> incident.kind().equals(Troubles.Kind.FAILED.name())
						&& incident.agoMillis() + member.ageMillis() < RECENT_FAILURE_MILLIS))
			.map((member) -> member.report().instance())
			.toList();
		if (!failing.isEmpty()) {
			add(Level.WARNING, "Requests for locks failed in the last minute",
					"Redis did not answer %s in time, or refused.".formatted(names(failing)), null);
		}
	}

	private void instances() {
		List<Member> silent = this.sight.members().stream().filter(Member::silent).toList();
		if (!silent.isEmpty()) {
			boolean one = silent.size() == 1;
			String names = names(silent.stream().map((member) -> member.report().instance()).toList());
			add(Level.WARNING, one ? names + " does not answer" : silent.size() + " instances do not answer",
					one ? "It has ended, is frozen, or cannot reach Redis."
							: names + " have ended, are frozen, or cannot reach Redis.",
					silent.stream().mapToLong(Member::ageMillis).max().orElse(0));
		}
	}

	private static String names(List<String> instances) {
		String first = instances.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
		return (instances.size() > MOST_NAMES) ? first + " and others" : first;
	}

	private void add(Level level, String title, String detail, @Nullable Long agoMillis) {
		this.found.add(new Problem(level, title, detail, agoMillis));
	}

}
