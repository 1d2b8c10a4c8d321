package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HeldLock}.
 */
class HeldLockTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(500), Duration.ofSeconds(30), null, false, 64), List.of());

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void keepsOtherLocksWhenSomeAreLost() throws InterruptedException {
		HeldLock lock = keep("a", "b", "c");
		this.registry.forceRelease("a");
		this.registry.forceRelease("c");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LockLostException.class));
		assertThat(this.registry.forceRelease("b")).hasSize(1);
	}

	@Test
	void keepsOtherLocksWhenSomeAreLostWithoutWaiting() throws InterruptedException {
		HeldLock lock = keep("a", "b");
		this.registry.forceRelease("a");
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> lock.releaseAsync().toCompletableFuture().join())
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.registry.forceRelease("b")).hasSize(1);
	}

	@Test
	void tellsNothingWhenAllAreKept() throws InterruptedException {
		keep("a", "b").close();
		keep("c").releaseAsync().toCompletableFuture().join();
		assertThat(this.registry.heldCount()).isEqualTo(3);
	}

	private HeldLock keep(String... names) throws InterruptedException {
		LockOwner owner = LockOwner.create("test");
		List<LockRequest> requests = Stream.of(names).map((name) -> LockRequest.of(name).owner(owner)).toList();
		return new HeldLock(this.registry.acquireAll(requests), LockContext.capture(), Duration.ofHours(1));
	}

}
