package io.lockstarter.docs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.MarkdownTable;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks take the memory of Redis that docs/generated/sizing.md tells.
 */
class SizingTests {

	private static final int LOCKS = 3_000;

	/** Requests at the same time, which a busy machine carries out in time. */
	private static final int PORTION = 100;

	/** A token is kept for each of these, not for each name. */
	private static final int SLOTS = 16_384;

	/** Allocators and versions of Redis differ by some bytes for each key. */
	private static final double TOLERANCE = 0.25;

	private final RedisServer redis = RedisServer.start();

	private final RedisClients clients = new RedisClients();

	private final List<DefaultLockRegistry> registries = new ArrayList<>();

	private DefaultLockRegistry registry;

	@BeforeEach
	void fillWhatStays() {
		this.registry = open();
		release(hold());
	}

	@AfterEach
	void close() throws Exception {
		this.registries.forEach(DefaultLockRegistry::close);
		this.clients.close();
		this.redis.close();
	}

	@Test
	void heldLock() {
		long before = used();
		List<LockHandle> held = hold();
		assertTells("a held lock", (used() - before) / (double) LOCKS);
		release(held);
	}

	@Test
	void waitingInstance() {
		DefaultLockRegistry other = open();
		List<LockHandle> held = hold();
		long before = used();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		while (waiting.size() < LOCKS) {
			waiting.addAll(requests(other, waiting.size()));
			await().atMost(Duration.ofMinutes(2)).until(() -> waiters() == waiting.size());
		}
		assertTells("an instance that waits for it", (used() - before) / (double) LOCKS);
		waiting.forEach((request) -> request.cancel(true));
		release(held);
	}

	@Test
	void freeName() {
		assertThat(told("a name that is free again")).isZero();
		// A waiter that was cancelled gives back what it was granted meanwhile
		await().untilAsserted(
				() -> assertThat(this.redis.cli("KEYS", "lock:{*")).as("keys of locks").isEqualTo(List.of()));
	}

	@Test
	void lastTokens() {
		// A command that was sent twice on a busy machine has left more than a token
		((List<?>) this.redis.cli("KEYS", "lock:{*")).forEach((key) -> this.redis.cli("DEL", (String) key));
		long kept = (Long) this.redis.cli("DBSIZE");
		assertThat(kept).isPositive().isLessThanOrEqualTo(LOCKS);
		long before = used();
		this.redis.cli("FLUSHALL");
		assertTells("the last tokens of all names together, at most", (before - used()) / (double) kept * SLOTS);
	}

	private DefaultLockRegistry open() {
		LockBackend backend = this.clients.connect(this.redis.host(), this.redis.port());
		backend.connect().join();
		DefaultLockRegistry opened = new DefaultLockRegistry(backend,
				new EngineSettings("sizing-" + this.registries.size(), Duration.ofMinutes(2), Duration.ofMinutes(10),
						null, false, 64),
				List.of());
		this.registries.add(opened);
		return opened;
	}

	private List<LockHandle> hold() {
		List<LockHandle> held = new ArrayList<>();
		for (int first = 0; first < LOCKS; first += PORTION) {
			requests(this.registry, first).stream()
				.map((request) -> request.orTimeout(2, TimeUnit.MINUTES).join())
				.forEach(held::add);
		}
		return held;
	}

	private static List<CompletableFuture<LockHandle>> requests(DefaultLockRegistry from, int first) {
		return IntStream.range(first, first + PORTION)
			.mapToObj((lock) -> from.acquireAsync(LockRequest.of("lock" + lock)))
			.toList();
	}

	private void release(List<LockHandle> held) {
		for (int first = 0; first < held.size(); first += PORTION) {
			CompletableFuture
				.allOf(held.subList(first, first + PORTION)
					.stream()
					.map((handle) -> handle.releaseAsync().toCompletableFuture())
					.toArray(CompletableFuture[]::new))
				.orTimeout(2, TimeUnit.MINUTES)
				.join();
		}
	}

	private int waiters() {
		return ((List<?>) this.redis.cli("KEYS", "lock:{*:waiters")).size();
	}

	private long used() {
		return Long.parseLong(this.redis.info("used_memory"));
	}

	private static void assertTells(String what, double measured) {
		assertThat(measured).as(what).isBetween(told(what) * (1 - TOLERANCE), told(what) * (1 + TOLERANCE));
	}

	private static double told(String what) {
		MarkdownTable table = MarkdownTable.below("## Memory of Redis",
				Checkout.file("docs", "generated", "sizing.md"));
		return Double.parseDouble(table.rows().get(what).get(0));
	}

}
