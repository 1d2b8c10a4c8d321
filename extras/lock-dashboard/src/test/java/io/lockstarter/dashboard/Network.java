package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.backend.ClientMessages;
import org.jspecify.annotations.Nullable;

/**
 * Messages between instances, which the test delivers.
 */
final class Network {

	private final List<String> names = new ArrayList<>();

	private final List<Consumer<String>> listeners = new ArrayList<>();

	private List<Runnable> undelivered = new ArrayList<>();

	/** Client that receives no messages. */
	@Nullable String frozen;

	/** Reason why messages cannot be sent. */
	@Nullable Throwable failure;

	/** Whether messages are neither confirmed nor delivered. */
	boolean stuck;

	/** Number of sent messages. */
	int sent;

	void send(String to, String text) {
		this.undelivered.add(() -> {
			if (!to.equals(this.frozen)) {
				this.listeners.get(this.names.indexOf(to)).accept(text);
			}
		});
	}

	void deliver() {
		while (!this.undelivered.isEmpty()) {
			List<Runnable> messages = this.undelivered;
			this.undelivered = new ArrayList<>();
			messages.forEach(Runnable::run);
		}
	}

	ClientMessages of(String name) {
		return new ClientMessages() {

			@Override
			public void listen(Consumer<String> listener) {
				Network.this.names.add(name);
				Network.this.listeners.add(listener);
			}

			@Override
			public CompletableFuture<?> broadcast(String text) {
				return sent(Network.this.names, text);
			}

			@Override
			public CompletableFuture<?> send(String client, String text) {
				return sent(List.of(client), text);
			}

		};
	}

	private CompletableFuture<?> sent(List<String> receivers, String text) {
		this.sent++;
		if (this.failure != null) {
			return CompletableFuture.failedFuture(this.failure);
		}
		if (this.stuck) {
			return new CompletableFuture<>();
		}
		List.copyOf(receivers).forEach((receiver) -> send(receiver, text));
		return CompletableFuture.completedFuture(null);
	}

}
