package io.lockstarter.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Defaults of Awaitility for all tests. The timeout is longer than Awaitility's ten
 * seconds, because a machine may be suspended for several seconds. The first check is
 * immediate and the interval is short, because Awaitility's default for both is a tenth
 * of a second.
 */
public final class Patience implements BeforeAllCallback {

	/** Maximum wait for a condition: 30 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	/** Interval between two checks of a condition: 10 ms. */
	private static final Duration INTERVAL = Duration.ofMillis(10);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(TIMEOUT);
		Awaitility.setDefaultPollInterval(INTERVAL);
		Awaitility.setDefaultPollDelay(Duration.ZERO);
	}

}
