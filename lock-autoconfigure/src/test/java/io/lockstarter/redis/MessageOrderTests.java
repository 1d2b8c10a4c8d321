package io.lockstarter.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.testing.CommandStats;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who hears first of a release: the one who waits, or the one who releases.
 */
class MessageOrderTests extends OneLock {

	private static final int ENOUGH_FOR_CHANCE_TO_SHOW = 300;

	@Test
	void tellsTheOneWhoWaitsBeforeAnsweringTheOneWhoLeaves() throws IOException {
		ScriptClient holder = client();
		ScriptClient waiter = client();
		try (Socket messages = subscribe("lock:wake:" + waiter.id())) {
			for (int i = 1; i <= ENOUGH_FOR_CHANCE_TO_SHOW; i++) {
				holder.acquire(LockType.REENTRANT, i);
				waiter.queueForWake(LockType.REENTRANT, i);
				CompletableFuture<Boolean> told = holder.releaseAwaited(i, Intent.LEAVE).thenApply((reply) -> {
					assertThat(reply.outcome()).isEqualTo(Outcome.RELEASED);
					return hasCome(messages);
				});
				assertThat(told.join()).as("message of release %d is there when its reply is", i).isTrue();
				messages.getInputStream().skipNBytes(messages.getInputStream().available());
				waiter.release(i, Intent.LEAVE, null);
			}
		}
	}

	/** From where messages of a channel can be read as soon as Redis has written them. */
	private static Socket subscribe(String channel) throws IOException {
		Socket messages = new Socket(redis.host(), redis.port());
		messages.getOutputStream().write("SUBSCRIBE %s\r\n".formatted(channel).getBytes(StandardCharsets.UTF_8));
		await().until(() -> hasCome(messages));
		messages.getInputStream().skipNBytes(messages.getInputStream().available());
		return messages;
	}

	private static boolean hasCome(Socket messages) {
		try {
			return messages.getInputStream().available() > 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void spendsACommandOnItOnlyIfOthersWaitAndThisOneDoesNot() {
		ScriptClient holder = client();
		holder.acquire(LockType.REENTRANT, 1);
		CommandStats before = CommandStats.of(redis::cli);
		holder.release(1, Intent.LEAVE, null);
		holder.acquire(LockType.REENTRANT, 2);
		holder.releaseAwaited(2, Intent.RETURN).join();
		assertThat(pings(before)).isZero();
		holder.acquire(LockType.REENTRANT, 3);
		holder.releaseAwaited(3, Intent.LEAVE).join();
		assertThat(pings(before)).isOne();
	}

	private static long pings(CommandStats before) {
		return CommandStats.of(redis::cli).minus(before).calls("ping");
	}

}
