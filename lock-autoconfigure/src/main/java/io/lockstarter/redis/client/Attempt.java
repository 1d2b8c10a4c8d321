package io.lockstarter.redis.client;

import java.util.concurrent.CompletableFuture;

/**
 * One attempt to send a command.
 *
 * @param <T> the type of the reply
 */
@FunctionalInterface
public interface Attempt<T> {

	/**
	 * Sends the command.
	 * @param byDigest whether a script's digest may be sent instead of its text
	 * @param repeated whether the command was sent before and may have arrived, or may
	 * still arrive
	 * @return a future of the reply
	 */
	CompletableFuture<T> send(boolean byDigest, boolean repeated);

}
