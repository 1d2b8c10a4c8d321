package io.lockstarter.redis.quorum;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.ClientMessages;

/**
 * Messages over all servers of a quorum. A client receives each message once from every
 * server to which it is subscribed.
 */
final class QuorumMessages implements ClientMessages {

	private final QuorumServers servers;

	QuorumMessages(QuorumServers servers) {
		this.servers = servers;
	}

	@Override
	public void listen(Consumer<String> listener) {
		this.servers.all().forEach((server) -> server.node().messages().listen(listener));
	}

	@Override
	public CompletableFuture<?> broadcast(String text) {
		return send((messages) -> messages.broadcast(text));
	}

	@Override
	public CompletableFuture<?> send(String client, String text) {
		return send((messages) -> messages.send(client, text));
	}

	/** Sends a message. One server that publishes the message is sufficient. */
	private CompletableFuture<?> send(Function<ClientMessages, CompletableFuture<?>> message) {
		CompletableFuture<Boolean> sent = new CompletableFuture<>();
		AtomicInteger open = new AtomicInteger(this.servers.size());
		QuorumCall call = this.servers.send(LockBackendException.NO_LOCK,
				(node) -> message.apply(node.messages()).thenApply((done) -> true), (server, done, failure) -> {
					if (failure == null) {
						sent.complete(true);
					}
					else if (open.decrementAndGet() == 0) {
						sent.completeExceptionally(failure);
					}
				});
		return call.cancelWith(sent);
	}

}
