package io.lockstarter.verification.history.checker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.recording.Ask;
import io.lockstarter.verification.history.recording.Grant;
import io.lockstarter.verification.history.recording.Grant.Entry;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Span;

/**
 * Writes histories by hand. Times are in milliseconds.
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

	/** Holds from now on have one of so many permits. */
	Histories permits(int permits) {
		this.key = PermitKeys.only(permits);
		this.permits = permits;
		return this;
	}

	/** Holds from now on are alone, or readers, of the same lock as before. */
	Histories withoutPermits() {
		this.permits = 1;
		return this;
	}

	/** A hold with a lease of a second, asked for a millisecond before its grant. */
	Hold hold(int jvm, LockType type, long token, long granted, long released) {
		return hold(jvm, type, token, granted - 1, granted, released, Entry.ALONE);
	}

	Hold hold(int jvm, LockType type, long token, long invoked, long granted, long released, Entry entry) {
		return add(jvm, Hold.of(grant(jvm, type, token, invoked, granted, entry), nanos(released)));
	}

	/** The same if it is never released. */
	Hold held(int jvm, LockType type, long token, long granted) {
		return add(jvm, Hold.of(grant(jvm, type, token, granted - 1, granted, Entry.ALONE)));
	}

	private Grant grant(int jvm, LockType type, long token, long invoked, long granted, Entry entry) {
		return new Grant(jvm, ++this.ids, this.key, type, "thread", token, nanos(invoked), nanos(granted),
				nanos(granted + 1000), entry, this.permits);
	}

	private Hold add(int jvm, Hold hold) {
		jvm(jvm).holds().add(hold);
		return hold;
	}

	Histories miss(int jvm, LockType type, long invoked, long ended) {
		jvm(jvm).misses().add(new Miss(jvm, this.key, type, nanos(invoked), nanos(ended), "TIMEOUT"));
		return this;
	}

	/** A request that is answered, or never if that is before it is asked. */
	Histories ask(int jvm, long asked, long patience, long answered) {
		jvm(jvm).asks()
			.add(new Ask(jvm, "thread", nanos(asked), nanos(patience),
					(answered < asked) ? Hold.NEVER : nanos(answered)));
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
