package io.lockstarter.redis.wake;

import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.redis.script.LockKeys;

/**
 * Lets a search read the messages of scripts as a client does.
 */
public final class WakeMessageReader {

	private WakeMessageReader() {
	}

	/**
	 * Tell a listener what a message means.
	 * @param keys the keys of the client
	 * @param clientId the id of the client that it is for
	 * @param message the message
	 * @param listener the listener
	 */
	public static void read(LockKeys keys, Supplier<String> clientId, String message, WakeListener listener) {
		WakeMessages messages = new WakeMessages(keys, clientId);
		messages.listen(listener);
		messages.received(message);
	}

}
