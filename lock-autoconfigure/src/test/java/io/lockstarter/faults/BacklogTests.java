package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * More commands at once than a connection carries within the time that each may take.
 */
class BacklogTests extends ProxiedRedis {

	/** The reply to a ping has to wait for those to the commands before it. */
	@Test
	void keepsAConnectionThatDeliversReplies() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		List<String> before = connections();
		this.proxy.paceReplies(Duration.ofMillis(20));
		List<CompletableFuture<?>> backlog = new ArrayList<>();
		for (int i = 0; i < 450; i++) {
			backlog.add(registry.inspect("lock-" + i));
		}
		await().atMost(PATIENCE).until(() -> backlog.stream().allMatch(CompletableFuture::isDone));
		assertThat(backlog).anyMatch(CompletableFuture::isCompletedExceptionally);
		await().atMost(PATIENCE).ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
			registry.acquire(LockRequest.of("a")).close();
			return true;
		});
		assertThat(connections()).isEqualTo(before);
	}

	@Tag("stress")
	@Test
	void manyLocksReleasedAtOnceAreNotLost() throws Exception {
		DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(30));
		Registries.warmUp(registry);
		List<String> before = connections();
		List<LockHandle> locks = new ArrayList<>();
		while (locks.size() < 100_000) {
			List<CompletableFuture<LockHandle>> batch = IntStream.range(locks.size(), locks.size() + 500)
				.mapToObj((i) -> registry.acquireAsync(LockRequest.of("lock-" + i)))
				.toList();
			for (CompletableFuture<LockHandle> each : batch) {
				locks.add(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
			}
		}
		long begin = System.nanoTime();
		List<CompletableFuture<?>> releases = new ArrayList<>();
		locks.forEach((lock) -> releases.add(lock.releaseAsync().toCompletableFuture()));
		await().atMost(Duration.ofSeconds(100)).until(() -> releases.stream().allMatch(CompletableFuture::isDone));
		report("%d locks released at once: %d ms, %d unconfirmed", locks.size(), since(begin).toMillis(),
				this.events.unconfirmedReleases.get());
		assertThat(releases).noneMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(this.events.losses).isEmpty();
		assertThat(connections()).isEqualTo(before);
	}

	/** The ids of the connections that Redis has, except the one that asks. */
	private List<String> connections() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> !line.contains(" cmd=client"))
			.map((line) -> line.split(" ", 2)[0])
			.toList();
	}

}
