package io.lockstarter.redis.wake;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.redis.client.CommandSender;
import io.lockstarter.redis.script.ClientText;
import io.lockstarter.redis.script.LockKeys;

/**
 * Messages between clients over Redis: to one client on its wake-up channel, and to all
 * on a shared channel.
 */
public final class RedisClientMessages implements ClientMessages {

	private final LockKeys keys;

	private final CommandSender redis;

	private final WakeSubscription wakes;

	public RedisClientMessages(LockKeys keys, CommandSender redis, WakeSubscription wakes) {
		this.keys = keys;
		this.redis = redis;
		this.wakes = wakes;
	}

	@Override
	public void listen(Consumer<String> listener) {
		this.wakes.subscribeToClients(listener);
	}

	@Override
	public CompletableFuture<?> broadcast(String text) {
		this.wakes.ensureOpen();
		return publish(this.keys.sharedChannel(), text);
	}

	@Override
	public CompletableFuture<?> send(String client, String text) {
		return publish(this.keys.wakeChannel(client), text);
	}

	private CompletableFuture<?> publish(String channel, String text) {
		return this.redis.publish(channel, ClientText.of(text));
	}

}
