package io.lockstarter.verification.history.checker;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.checker.Violation.Kind;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.Span;
import org.jspecify.annotations.Nullable;

/**
 * Check that tokens rise from one hold to the next, and that those of readers exceed the
 * tokens of all earlier writers. Where the server may lose data, a JVM may hand a lock
 * over with stale tokens for half a second without a confirmation by the server.
 */
final class TokenCheck {

	/** Limit on hand-overs without a confirmation by the server: 500 ms. */
	private static final long UNCONFIRMED_NANOS = 500_000_000;

	/** Limit on the delay between the beginning of a hold and its record: 250 ms. */
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
		check.checkUnique();
		check.compareByRequest();
		if (round.claim() == Claim.EXCLUSION) {
			check.compareByGrant();
		}
	}

	private void checkUnique() {
		Map<Long, Hold> seen = new HashMap<>();
		for (Hold hold : this.key.holds()) {
			Hold before = seen.putIfAbsent(hold.grant().token(), hold);
			if (before != null && !hold.isOneWith(before)) {
				report("have the same token", before, hold);
			}
		}
	}

	/** Compares the tokens of valid holds in order of their grants. */
	private void compareByGrant() {
		Highest highest = new Highest();
		for (Hold hold : this.key.holds()) {
			if (hold.isBelieved()) {
				compare(highest, hold);
				highest.add(hold);
			}
		}
	}

	/**
	 * Compares the tokens in order of requests: a request after a grant gets a higher
	 * token.
	 */
	private void compareByRequest() {
		List<Requested> requests = this.key.holds()
			.stream()
			.filter((hold) -> hold.grant().kind() != GrantKind.NESTED)
			.map((hold) -> new Requested(hold, requestedAt(hold)))
			.sorted(Comparator.comparingLong(Requested::at))
			.toList();
		Highest highest = new Highest();
		int granted = 0;
		for (Requested request : requests) {
			while (granted < this.key.holds().size()
					&& this.key.holds().get(granted).grant().granted() < request.at()) {
				highest.add(this.key.holds().get(granted++));
			}
			compare(highest, request.hold());
		}
	}

	/**
	 * Returns the time of the request for a hold, or for the tenure that contains the
	 * hold.
	 */
	private long requestedAt(Hold hold) {
		if (this.round.claim() == Claim.EXCLUSION) {
			return hold.grant().invoked();
		}
		if (hold.grant().kind() == GrantKind.HANDED_OVER) {
			return lastReplyAt(hold);
		}
		// A reader may have joined a tenure of other readers
		return hold.grant().isShared() ? Math.min(hold.grant().invoked(), lastReplyAt(hold)) : hold.grant().invoked();
	}

	/**
	 * Returns the earliest time of the last confirmation that the JVM of a hold needs.
	 */
	private long lastReplyAt(Hold hold) {
		long granted = hold.grant().granted();
		long lastReply = granted - UNCONFIRMED_NANOS - WRITING_NANOS;
		for (Span pause : this.round.pauses(hold.grant().jvm())) {
			if (pause.begin() < granted && pause.end() > lastReply) {
				lastReply -= Math.min(pause.end(), granted) - pause.begin();
			}
		}
		return lastReply;
	}

	private void compare(Highest highest, Hold hold) {
		compare(highest.writer, hold);
		if (!hold.grant().isShared()) {
			compare(highest.reader, hold);
		}
	}

	private void compare(@Nullable Hold before, Hold hold) {
		if (before != null && before.grant().token() >= hold.grant().token() && !hold.isOneWith(before)) {
			report("were granted in this order", before, hold);
		}
	}

	private void report(String problem, Hold before, Hold hold) {
		this.violations.accept(new Violation(Kind.TOKEN, this.key.key(),
				"%s and %s %s".formatted(before, hold, problem), before, hold));
	}

	/**
	 * A hold with the time of its request.
	 */
	private record Requested(Hold hold, long at) {
	}

	/**
	 * Holds with the highest tokens so far.
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
