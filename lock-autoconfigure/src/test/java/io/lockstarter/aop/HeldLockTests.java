package io.lockstarter.aop;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link HeldLock}.
 */
class HeldLockTests {

	private final AtomicInteger renewals = new AtomicInteger();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			counting(new InMemoryLockBackend(new InMemoryLockStore())),
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

	@Test
	void noticesLossOfOneOfSeveralWithoutAskingTheBackend() throws InterruptedException {
		HeldLock lock = keep("a", "b", "c");
		this.registry.forceRelease("b");
		this.renewals.set(0);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::requireValid)
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("b"));
		assertThat(this.renewals).hasValue(0);
	}

	@Test
	void refusesLockWhoseLeaseHasEndedByTheLocalClock() throws InterruptedException {
		LockRequest request = LockRequest.of("a").leaseTime(Duration.ofMillis(300));
		HeldLock lock = new HeldLock(this.registry.acquire(request), LockContext.capture(), Duration.ZERO);
		await().until(() -> !lock.handle().isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::requireValid);
		assertThat(this.renewals).hasValue(0);
	}

	/** A backend that counts the renewals. */
	private LockBackend counting(LockBackend backend) {
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
					if (method.getName().startsWith("renew")) {
						this.renewals.incrementAndGet();
					}
					return method.invoke(backend, arguments);
				});
	}

	private HeldLock keep(String... names) throws InterruptedException {
		LockOwner owner = LockOwner.create("test");
		List<LockRequest> requests = Stream.of(names).map((name) -> LockRequest.of(name).owner(owner)).toList();
		return new HeldLock(this.registry.acquireAll(requests), LockContext.capture(), Duration.ofHours(1));
	}

}
