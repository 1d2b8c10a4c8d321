package io.lockstarter.verification.history.checker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.recording.Attempt;
import io.lockstarter.verification.history.recording.Grant;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Span;

/**
 * Builder of histories for tests. Times are in milliseconds.
 */
final class Histories {

	private final Claim claim;

	private String key = "key";

	private int permits = 1;

	private final Map<Integer, JvmHistory> jvms = new TreeMap<>();

	private final Map<Integer, List<Span>> stops = new HashMap<>();

	private final List<Span> covered = new ArrayList<>();

	private final List<String> leaks = new ArrayList<>();

	private Duration roundTrip = Duration.ZERO;

	private long counted;

	private long ids;

	Histories(Claim claim) {
		this.claim = claim;
	}

	/** Gives subsequent holds one of several permits. */
	Histories permits(int permits) {
		this.key = PermitKeys.only(permits);
		this.permits = permits;
		return this;
	}

	/** Makes subsequent holds of the same lock exclusive, or shared by readers. */
	Histories withoutPermits() {
		this.permits = 1;
		return this;
	}

	/**
	 * Adds a hold with a lease of one second, requested one millisecond before its grant.
	 */
	Hold hold(int jvm, LockType type, long token, long granted, long released) {
		return hold(jvm, type, token, granted - 1, granted, released, GrantKind.SINGLE);
	}

	Hold hold(int jvm, LockType type, long token, long invoked, long granted, long released, GrantKind kind) {
		return add(jvm, Hold.of(grant(jvm, type, token, invoked, granted, kind), nanos(released)));
	}

	/** Adds such a hold that is never released. */
	Hold held(int jvm, LockType type, long token, long granted) {
		return add(jvm, Hold.of(grant(jvm, type, token, granted - 1, granted, GrantKind.SINGLE)));
	}

	private Grant grant(int jvm, LockType type, long token, long invoked, long granted, GrantKind kind) {
		return new Grant(jvm, ++this.ids, this.key, type, "thread", token, nanos(invoked), nanos(granted),
				nanos(granted + 1000), kind, this.permits);
	}

	private Hold add(int jvm, Hold hold) {
		jvm(jvm).holds().add(hold);
		return hold;
	}

	Histories miss(int jvm, LockType type, long invoked, long ended) {
		jvm(jvm).misses().add(new Miss(jvm, this.key, type, nanos(invoked), nanos(ended), "TIMEOUT"));
		return this;
	}

	/**
	 * Adds a request, which never completes if the time of completion precedes the
	 * request.
	 */
	Histories request(int jvm, long requested, long waitTime, long completed) {
		jvm(jvm).attempts()
			.add(new Attempt(jvm, "thread", nanos(requested), nanos(waitTime),
					(completed < requested) ? Hold.NEVER : nanos(completed)));
		return this;
	}

	JvmHistory jvm(int number) {
		return this.jvms.computeIfAbsent(number, JvmHistory::new);
	}

	Histories stopped(int jvm, long begin, long end) {
		this.stops.computeIfAbsent(jvm, (number) -> new ArrayList<>()).add(new Span(nanos(begin), nanos(end)));
		return this;
	}

	Histories covered(long begin, long end) {
		this.covered.add(new Span(nanos(begin), nanos(end)));
		return this;
	}

	Histories farAway(long roundTrip) {
		this.roundTrip = Duration.ofMillis(roundTrip);
		return this;
	}

	Histories leak(String leak) {
		this.leaks.add(leak);
		return this;
	}

	Histories counted(long value) {
		this.counted = value;
		return this;
	}

	Findings check() {
		RoundRecord round = new RoundRecord(this.claim, List.copyOf(this.jvms.values()), this.stops, this.covered,
				this.roundTrip);
		return Checker.check(round, this.leaks, (key) -> this.counted, (key) -> 0);
	}

	static long nanos(long millis) {
		return millis * 1_000_000;
	}

}
