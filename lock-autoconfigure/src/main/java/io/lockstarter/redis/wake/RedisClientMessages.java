package io.lockstarter.redis.wake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.client.RedisErrors;
import io.lockstarter.redis.script.LockScripts;
import io.lockstarter.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Passes messages between clients, on the channels on which they are woken.
 */
public final class RedisClientMessages implements ClientMessages {

	private final LockScripts scripts;

	private final CommandSender redis;

	private final WakeSubscription wakes;

	public RedisClientMessages(LockScripts scripts, CommandSender redis, WakeSubscription wakes) {
		this.scripts = scripts;
		this.redis = redis;
		this.wakes = wakes;
	}

	@Override
	public void listen(Consumer<String> listener) {
		this.wakes.listenToClients(listener);
	}

	/** In a cluster, each node knows the subscriptions that were made there. */
	@Override
	public CompletableFuture<?> call(String text) {
		this.wakes.ensureOpen();
		return this.redis.slots()
			.thenCompose((slots) -> CompletableFuture.allOf(slots.stream()
				.map((slot) -> send(this.scripts.call(slot, text)))
				.toArray(CompletableFuture[]::new)));
	}

	@Override
	public CompletableFuture<?> tell(String client, String text) {
		return send(this.scripts.tell(client, text));
	}

	private CompletableFuture<List<Object>> send(ScriptCall call) {
		return this.redis.run(call)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(translate(failure)));
	}

	private static @Nullable Throwable translate(Throwable failure) {
		return RedisErrors.translate(LockBackendException.NO_LOCK, failure);
	}

}
