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
	 */
	CompletableFuture<T> send(boolean byDigest);

}
