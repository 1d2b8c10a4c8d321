package io.lockstarter.verification.history.checker;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Grant.Entry;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.Span;
import org.jspecify.annotations.Nullable;

/**
 * Tokens rise from one hold to the next; those of readers rise over all writers before.
 * Where the server may forget, a JVM may hand a lock over with low tokens for half a
 * second, within which it need not have heard of the server.
 */
final class TokenCheck {

	/** Bound on hand-overs without hearing of the server: 500 ms. */
	private static final long UNHEARD_NANOS = 500_000_000;

	/** How much later than it began a hold may be written down: 250 ms. */
	private static final long WRITING_NANOS = 250_000_000;

	private final RoundRecord round;

	private final KeyHistory key;

	private final Consumer<Violation> violations;

	private TokenCheck(RoundRecord round, KeyHistory key, Consumer<Violation> violations) {
		this.round = round;
		this.key = key;
		this.violations = violations;
	}

	static void check(RoundRecord round, KeyHistory key, Consumer<Violation> violations) {
		TokenCheck check = new TokenCheck(round, key, violations);
		check.noneTwice();
		check.byRequest();
		if (round.claim() == Claim.EXCLUSION) {
			check.byGrant();
		}
	}

	private void noneTwice() {
		Map<Long, Hold> seen = new HashMap<>();
		for (Hold hold : this.key.holds()) {
			Hold before = seen.putIfAbsent(hold.grant().token(), hold);
			if (before != null && !hold.isOneWith(before)) {
				report("have the same token", before, hold);
			}
		}
	}

	/** Those who believe in their holds have higher tokens than those before. */
	private void byGrant() {
		Highest highest = new Highest();
		for (Hold hold : this.key.holds()) {
			if (hold.isBelieved()) {
				compare(highest, hold);
				highest.add(hold);
			}
		}
	}

	/**
	 * Whoever asks, or is handed the lock, after another had it gets a higher token.
	 */
	private void byRequest() {
		List<Asked> requests = this.key.holds()
			.stream()
			.filter((hold) -> hold.grant().entry() != Entry.NESTED)
			.map((hold) -> new Asked(hold, askedAt(hold)))
			.sorted(Comparator.comparingLong(Asked::at))
			.toList();
		Highest highest = new Highest();
		int granted = 0;
		for (Asked request : requests) {
			while (granted < this.key.holds().size()
					&& this.key.holds().get(granted).grant().granted() < request.at()) {
				highest.add(this.key.holds().get(granted++));
			}
			compare(highest, request.hold());
		}
	}

	/** When the server was asked for a hold, or for the lock that a hold was begun in. */
	private long askedAt(Hold hold) {
		if (this.round.claim() == Claim.EXCLUSION) {
			return hold.grant().invoked();
		}
		if (hold.grant().entry() == Entry.HANDED_OVER) {
			return heardAt(hold);
		}
		// A reader may have joined others
		return hold.grant().isShared() ? Math.min(hold.grant().invoked(), heardAt(hold)) : hold.grant().invoked();
	}

	/** The earliest time at which the JVM of a hold may have heard of the server last. */
	private long heardAt(Hold hold) {
		long granted = hold.grant().granted();
		long heard = granted - UNHEARD_NANOS - WRITING_NANOS;
		for (Span pause : this.round.pauses(hold.grant().jvm())) {
			if (pause.begin() < granted && pause.end() > heard) {
				heard -= Math.min(pause.end(), granted) - pause.begin();
			}
		}
		return heard;
	}

	private void compare(Highest highest, Hold hold) {
		compare(highest.writer, hold);
		if (!hold.grant().isShared()) {
			compare(highest.reader, hold);
		}
	}

	private void compare(@Nullable Hold before, Hold hold) {
		if (before != null && before.grant().token() >= hold.grant().token() && !hold.isOneWith(before)) {
			report("came in this order", before, hold);
		}
	}

	private void report(String what, Hold before, Hold hold) {
		this.violations.accept(
				new Violation(Kind.TOKEN, this.key.key(), "%s and %s %s".formatted(before, hold, what), before, hold));
	}

	/**
	 * A hold, and when the server was asked for it.
	 */
	private record Asked(Hold hold, long at) {
	}

	/**
	 * The holds with the highest tokens so far.
	 */
	private static final class Highest {

		private @Nullable Hold writer;

		private @Nullable Hold reader;

		void add(Hold hold) {
			if (hold.grant().isShared()) {
				this.reader = higher(this.reader, hold);
			}
			else {
				this.writer = higher(this.writer, hold);
			}
		}

		private static Hold higher(@Nullable Hold one, Hold other) {
			return (one != null && one.grant().token() >= other.grant().token()) ? one : other;
		}

	}

}
