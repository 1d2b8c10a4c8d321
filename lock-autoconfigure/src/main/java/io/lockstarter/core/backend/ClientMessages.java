package io.lockstarter.core.backend;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;

/**
 * Messages that the clients of one place of locks send each other. They are hints: they
 * may be missing, late or repeated, and no lock depends on them.
 */
public interface ClientMessages {

	/** Messages in a place that passes none on. */
	ClientMessages NONE = new ClientMessages() {

		@Override
		public void listen(Consumer<String> listener) {
			// There is nothing to hear
		}

		@Override
		public CompletableFuture<?> call(String text) {
			return CompletableFuture.failedFuture(new LockBackendException(LockBackendException.NO_LOCK,
					Reason.NOT_SUPPORTED, "the backend passes no messages on", null));
		}

		@Override
		public CompletableFuture<?> tell(String client, String text) {
			return call(text);
		}

	};

	/**
	 * Set who is told each message. Costs no command: messages come as soon as this
	 * client is subscribed.
	 * @param listener the listener, which must return quickly
	 */
	void listen(Consumer<String> listener);

	/**
	 * Send a message to all clients that have set a listener and are subscribed, this one
	 * as well if it is. From then on this client sees to it that it is subscribed.
	 * @param text the message
	 * @return completes when the message is on its way
	 */
	CompletableFuture<?> call(String text);

	/**
	 * Send a message to one client.
	 * @param client the client's id
	 * @param text the message
	 * @return completes when the message is on its way
	 */
	CompletableFuture<?> tell(String client, String text);

}
