package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The few commands the backend sends, without blocking. Failures are the client
 * library's. Cancelling a future withdraws a command that was not yet sent.
 */
interface RedisCommands {

	/**
	 * Run a script, loading it if the server does not know it.
	 */
	CompletableFuture<List<Object>> run(LuaScript script, List<String> keys, List<String> arguments);

	/**
	 * Publish a message; completes with the number of subscribers reached.
	 */
	CompletableFuture<Long> publish(String channel, String message);

	/**
	 * Whether one script call may name keys of several locks.
	 */
	boolean spansSlots();

}
