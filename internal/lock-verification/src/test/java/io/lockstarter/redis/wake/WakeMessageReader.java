package io.lockstarter.redis.wake;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.redis.script.LockKeys;

/**
 * Reader of the messages of scripts for a search.
 */
public final class WakeMessageReader {

	private WakeMessageReader() {
	}

	/**
	 * Reads a message as a client does.
	 * @param keys the keys of the receiving client
	 * @param clientId the id of the client
	 * @param message the message
	 * @return a {@link DirectGrant} or a {@link Hint}
	 */
	public static Object read(LockKeys keys, Supplier<String> clientId, String message) {
		AtomicReference<Object> meaning = new AtomicReference<>();
		WakeMessages messages = new WakeMessages(keys, clientId);
		messages.listen(new WakeListener() {

			@Override
			public void wake(String name) {
				meaning.set(Hint.WAKE);
			}

			@Override
			public void contended(String name) {
				meaning.set(Hint.CONTENDED);
			}

			@Override
			public void forceReleased(String name) {
				throw new IllegalStateException("Unexpected message of a forced release: " + message);
			}

			@Override
			public void granted(String name, DirectGrant grant) {
				meaning.set(grant);
			}

			@Override
			public void messagesMissed() {
				throw new IllegalStateException("Unexpected message without a lock: " + message);
			}

		});
		messages.received(message);
		return meaning.get();
	}

	/**
	 * Message without a grant.
	 */
	public enum Hint {

		/** The lock may be free. */
		WAKE,
		/** Another client waits. */
		CONTENDED

	}

}
