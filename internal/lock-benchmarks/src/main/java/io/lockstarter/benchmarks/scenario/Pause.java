package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Pause of the current thread.
 */
final class Pause {

	private Pause() {
	}

	static void of(Duration time) {
		try {
			TimeUnit.NANOSECONDS.sleep(time.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
