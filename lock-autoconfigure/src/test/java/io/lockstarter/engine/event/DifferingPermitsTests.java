package io.lockstarter.engine.event;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class DifferingPermitsTests {

	private static final String WARNING = "Lock '%s' has 2 permits for %s, but 4 for %s: each is granted by its own number";

	@Test
	void areWarnedOfOnceForEachName(CapturedOutput output) {
		DifferingPermits differing = new DifferingPermits(Runnable::run);
		for (String name : List.of("a", "a", "b")) {
			differing.found(LockRequest.of(name).permits(2), "shop-1/x", new PermitHolder("shop-2/y", 4));
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("permits for"))).hasSize(2);
		assertThat(output).contains(WARNING.formatted("a", "shop-1/x", "shop-2/y"))
			.contains(WARNING.formatted("b", "shop-1/x", "shop-2/y"));
	}

	@Test
	void areWarnedOfForNoEndOfNames(CapturedOutput output) {
		DifferingPermits differing = new DifferingPermits(Runnable::run);
		for (int i = 0; i < 1100; i++) {
			differing.found(LockRequest.of("name " + i).permits(2), "shop-1/x", new PermitHolder("shop-2/y", 4));
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("permits for"))).hasSize(1000);
	}

	@Test
	void areFoundWhenARequestIsRefused(CapturedOutput output) throws InterruptedException {
		InMemoryLockStore store = new InMemoryLockStore();
		try (DefaultLockRegistry old = registry(store, "old"); DefaultLockRegistry renewed = registry(store, "new")) {
			LockRequest request = LockRequest.of("name");
			LockHandle first = old.acquire(request.permits(4));
			LockHandle second = old.acquire(request.permits(4).owner(LockOwner.create("task")));
			assertThat(renewed.tryAcquire(request.permits(2))).isEmpty();
			await().untilAsserted(
					() -> assertThat(output).containsPattern("Lock 'name' has 2 permits for new/.*, but 4 for old/"));
			first.close();
			second.close();
		}
	}

	private static DefaultLockRegistry registry(InMemoryLockStore store, String instance) {
		return new DefaultLockRegistry(new InMemoryLockBackend(store),
				new EngineSettings(instance, Duration.ZERO, Duration.ofSeconds(30), null, false, 64), List.of());
	}

}
