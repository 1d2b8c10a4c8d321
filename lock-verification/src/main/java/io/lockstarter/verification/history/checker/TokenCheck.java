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
import org.jspecify.annotations.Nullable;

/**
 * Tokens rise from one hold to the next; those of readers rise over all writers before.
 */
final class TokenCheck {

	private final KeyHistory key;

	private final Claim claim;

	private final Consumer<Violation> violations;

	private TokenCheck(KeyHistory key, Claim claim, Consumer<Violation> violations) {
		this.key = key;
		this.claim = claim;
		this.violations = violations;
	}

	static void check(KeyHistory key, Claim claim, Consumer<Violation> violations) {
		TokenCheck check = new TokenCheck(key, claim, violations);
		check.noneTwice();
		check.byRequest();
		if (claim == Claim.EXCLUSION) {
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

	/** Whoever asks after another had the lock gets a higher token. */
	private void byRequest() {
		List<Hold> requests = this.key.holds()
			.stream()
			.filter(this::isFreshFromTheServer)
			.sorted(Comparator.comparingLong((hold) -> hold.grant().invoked()))
			.toList();
		Highest highest = new Highest();
		int granted = 0;
		for (Hold request : requests) {
			while (granted < this.key.holds().size()
					&& this.key.holds().get(granted).grant().granted() < request.grant().invoked()) {
				highest.add(this.key.holds().get(granted++));
			}
			compare(highest, request);
		}
	}

	/**
	 * Where the server may forget, a JVM that has not heard of it hands its lock on with
	 * tokens that are as low as they should be.
	 */
	private boolean isFreshFromTheServer(Hold hold) {
		return this.claim == Claim.EXCLUSION || (hold.grant().entry() == Entry.ALONE && !hold.grant().isShared());
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
