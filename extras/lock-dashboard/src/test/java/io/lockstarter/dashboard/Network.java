package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.backend.ClientMessages;
import org.jspecify.annotations.Nullable;

/**
 * Messages that come when the test says so.
 */
final class Network {

	private final List<String> names = new ArrayList<>();

	private final List<Consumer<String>> listeners = new ArrayList<>();

	private List<Runnable> undelivered = new ArrayList<>();

	/** The client that hears nothing. */
	@Nullable String frozen;

	/** Why nothing can be sent. */
	@Nullable Throwable failure;

	/** Whether nothing that is sent is ever confirmed, or comes. */
	boolean stuck;

	/** How many messages were sent. */
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
