package io.lockstarter.verification.history.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.lockstarter.verification.history.checker.RoundRecord.KeyHistory;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.Span;

/**
 * Wait of a request, until it was granted or ended without the lock.
 *
 * @param span the time from the request until its end
 * @param request the description of the request
 */
record Wait(Span span, String request) {

	/** Returns the waits for a lock, ordered by their beginnings. */
	static List<Wait> of(KeyHistory key) {
		List<Wait> waits = new ArrayList<>();
		for (Hold hold : key.holds()) {
			if (hold.grant().kind() != GrantKind.NESTED) {
				waits.add(new Wait(new Span(hold.grant().invoked(), hold.grant().granted()), hold.toString()));
			}
		}
		for (Miss miss : key.misses()) {
			waits.add(new Wait(new Span(miss.invoked(), miss.ended()), describe(miss)));
		}
		waits.sort(Comparator.comparingLong(Wait::begin));
		return waits;
	}

	private static String describe(Miss miss) {
		return String.format(Locale.ROOT, "%s request by JVM %d that ended with %s after %.1f ms", miss.type(),
				miss.jvm(), miss.outcome(), (miss.ended() - miss.invoked()) / 1e6);
	}

	long begin() {
		return this.span.begin();
	}

	long end() {
		return this.span.end();
	}

}
