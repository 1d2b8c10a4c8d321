package io.lockstarter.testing;

import java.time.Duration;
import java.util.concurrent.Callable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time limits of the stress suite. A limit that is missed is measured once more and
 * printed as a flake, since a machine that stands still misses every limit. What the
 * measurement itself asserts is never tried again: safety has one try.
 */
public final class Liveness {

	private Liveness() {
	}

	/**
	 * Assert that something takes no longer than it may.
	 * @param what what is measured, for the output
	 * @param limit how long it may take
	 * @param attempt does it once, asserts what must hold meanwhile, and returns how long
	 * it took
	 * @throws AssertionError if both attempts took longer, or at once what an attempt
	 * asserted
	 */
	public static void within(String what, Duration limit, Callable<Duration> attempt) throws Exception {
		Duration first = attempt.call();
		if (first.compareTo(limit) < 0) {
			return;
		}
		System.out.printf("Flake: %s took %d ms, and may take %d%n", what, first.toMillis(), limit.toMillis());
		StressSummary.FLAKES.add(1);
		assertThat(attempt.call()).as("%s, after %s at the first try", what, first).isLessThan(limit);
	}

}
