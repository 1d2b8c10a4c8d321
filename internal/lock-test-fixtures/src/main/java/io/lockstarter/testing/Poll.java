package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;

import static org.awaitility.Awaitility.await;

/**
 * Wait for a state of servers. A check that fails is repeated.
 */
final class Poll {

	/** Maximum wait for a state: 30 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	/** Interval between two checks: 5 ms. */
	private static final Duration INTERVAL = Duration.ofMillis(5);

	private Poll() {
	}

	static void until(String state, Callable<Boolean> reached) {
		await(state).pollInSameThread()
			.ignoreExceptionsMatching((ex) -> ex instanceof UncheckedIOException || ex instanceof RespClient.ErrorReply)
			.pollDelay(Duration.ZERO)
			.pollInterval(INTERVAL)
			.atMost(TIMEOUT)
			.until(reached);
	}

}
