package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;

/**
 * Sends a command once.
 *
 * @param <T> what it is answered
 */
@FunctionalInterface
public interface Attempt<T> {

	/**
	 * Send it.
	 * @param byDigest whether a script's digest may be sent instead of its text
	 * @param repeated whether it has been sent before, and may have arrived or arrive yet
	 */
	CompletableFuture<T> send(boolean byDigest, boolean repeated);

}
