package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;

import static org.awaitility.Awaitility.await;

/**
 * Waits for servers to get where a fixture needs them. A server that fails to answer is
 * asked again.
 */
final class Poll {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

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
