package io.lockstarter.engine.event;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.logging.LockLog;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.testing.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link DifferingPermits}.
 */
class DifferingPermitsTests {

	private static final String WARNING = "Lock '%s' has 2 permits for %s, but 4 for %s: each request is granted by its own number";

	private final CapturedLog log = CapturedLog.of(DifferingPermits.class);

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void areWarnedOfOnceForEachName() {
		DifferingPermits differing = new DifferingPermits();
		for (String name : List.of("a", "a", "b")) {
			differing.found(LockRequest.of(name).permits(2), "shop-1/x", new PermitHolder("shop-2/y", 4));
		}
		LockLog.flush();
		assertThat(this.log.lines()).containsExactly(WARNING.formatted("a", "shop-1/x", "shop-2/y"),
				WARNING.formatted("b", "shop-1/x", "shop-2/y"));
	}

	@Test
	void areWarnedOfForNoEndOfNames() {
		DifferingPermits differing = new DifferingPermits();
		for (int i = 0; i < 1100; i++) {
			differing.found(LockRequest.of("name " + i).permits(2), "shop-1/x", new PermitHolder("shop-2/y", 4));
		}
		LockLog.flush();
		assertThat(this.log.lines()).hasSize(1000);
	}

	@Test
	void areFoundWhenARequestIsRefused() throws InterruptedException {
		InMemoryLockStore store = new InMemoryLockStore();
		try (DefaultLockRegistry old = registry(store, "old"); DefaultLockRegistry renewed = registry(store, "new")) {
			LockRequest request = LockRequest.of("name");
			LockHandle first = old.acquire(request.permits(4));
			LockHandle second = old.acquire(request.permits(4).owner(LockOwner.create("task")));
			assertThat(renewed.tryAcquire(request.permits(2))).isEmpty();
			await().untilAsserted(() -> assertThat(this.log.lines()).singleElement()
				.asString()
				.containsPattern("Lock 'name' has 2 permits for new/.*, but 4 for old/"));
			first.close();
			second.close();
		}
	}

	private static DefaultLockRegistry registry(InMemoryLockStore store, String instance) {
		return new DefaultLockRegistry(new InMemoryLockBackend(store),
				new EngineSettings(instance, Duration.ZERO, Duration.ofSeconds(30), null, false, 64), List.of());
	}

}
