package io.lockstarter.core.backend;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;

/**
 * Messages between the clients of a lock store. Messages are hints: they may be missing,
 * late or repeated, and no lock depends on them. Thread-safe.
 */
public interface ClientMessages {

	/** Messages of a backend that does not support them. */
	ClientMessages NONE = new ClientMessages() {

		@Override
		public void listen(Consumer<String> listener) {
			// No message ever arrives.
		}

		@Override
		public CompletableFuture<?> broadcast(String text) {
			return CompletableFuture.failedFuture(new LockBackendException(LockBackendException.NO_LOCK,
					Reason.NOT_SUPPORTED, "the backend does not support messages between clients", null));
		}

		@Override
		public CompletableFuture<?> send(String client, String text) {
			return broadcast(text);
		}

	};

	/**
	 * Sets the listener of messages. Costs no command: messages arrive as soon as this
	 * client is subscribed.
	 * @param listener the listener, which must return quickly
	 */
	void listen(Consumer<String> listener);

	/**
	 * Sends a message to all clients that have set a listener and are subscribed,
	 * including this one. From then on, this client keeps itself subscribed.
	 * @param text the message
	 * @return completes when the message was sent
	 */
	CompletableFuture<?> broadcast(String text);

	/**
	 * Sends a message to one client.
	 * @param client the client's id
	 * @param text the message
	 * @return completes when the message was sent
	 */
	CompletableFuture<?> send(String client, String text);

}
