package io.lockstarter.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets tests wait for longer than Awaitility would by itself: on a machine that stands
 * still for seconds, ten of them are soon over. Lets them look at once and often as well:
 * by itself Awaitility looks after a tenth of a second at the earliest. Registered for
 * all tests.
 */
public final class Patience implements BeforeAllCallback {

	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Duration POLL = Duration.ofMillis(10);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(LONGEST);
		Awaitility.setDefaultPollInterval(POLL);
		Awaitility.setDefaultPollDelay(Duration.ZERO);
	}

}
