package io.lockstarter.testing;

import java.time.Duration;
import java.util.concurrent.Callable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time limits of the stress suite. If a limit is exceeded, it is measured once more and
 * reported as a flake, because a suspended machine exceeds every limit. Assertions of the
 * measurement itself are never repeated, because safety must hold at the first attempt.
 */
public final class Liveness {

	private Liveness() {
	}

	/**
	 * Asserts that an action completes within a time limit.
	 * @param what the name of the action, for the output
	 * @param limit the time limit
	 * @param attempt the action, which asserts safety and returns its duration
	 * @throws AssertionError if both attempts took longer, or an assertion of an attempt
	 * failed
	 */
	public static void within(String what, Duration limit, Callable<Duration> attempt) throws Exception {
		Duration first = attempt.call();
		if (first.compareTo(limit) < 0) {
			return;
		}
		System.out.printf("Flake: %s took %d ms, the limit is %d ms%n", what, first.toMillis(), limit.toMillis());
		StressSummary.FLAKES.add(1);
		assertThat(attempt.call()).as("%s, after %s at the first attempt", what, first).isLessThan(limit);
	}

}
