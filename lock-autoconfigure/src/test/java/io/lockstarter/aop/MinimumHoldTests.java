package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * While a method with {@code holdAtLeast} runs, its lease covers that time: the death of
 * the instance does not free the lock earlier.
 */
class MinimumHoldTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockRegistry registry = registry("one");

	private final DefaultLockRegistry other = registry("other");

	private final Service service = service();

	private DefaultLockRegistry registry(String instance) {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store),
				new EngineSettings(instance, Duration.ofSeconds(20), LEASE, null, false, 64), List.of());
	}

	private Service service() {
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(new DefaultListableBeanFactory(), () -> this.registry,
				LockAdvisor.DEFAULT_ORDER, true));
		return (Service) factory.getProxy();
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.other.close();
	}

	@Test
	void coversMethod() {
		assertThat(this.service.plain()).isGreaterThan(LEASE);
		assertIsKept("plain");
	}

	@Test
	void coversEachOfSeveralLocks() {
		assertThat(this.service.several(List.of("a", "b"))).isGreaterThan(LEASE);
		assertIsKept("several:a");
		assertIsKept("several:b");
	}

	@Test
	void coversStage() {
		assertThat(this.service.stage()).succeedsWithin(Duration.ofSeconds(20))
			.satisfies((remaining) -> assertThat(remaining).isGreaterThan(LEASE));
		assertIsKept("stage");
	}

	@Test
	void coversPublisher() {
		assertThat(this.service.mono().block(Duration.ofSeconds(20))).isGreaterThan(LEASE);
		assertIsKept("mono");
	}

	@Test
	void withdrawsRequestThatIsCancelled() throws InterruptedException {
		try (LockHandle held = this.other.acquire(LockRequest.of("stage"))) {
			CompletableFuture<Duration> waiting = this.service.stage();
			waiting.cancel(false);
			assertThat(held.isValid()).isTrue();
		}
		this.other.acquire(LockRequest.of("stage")).close();
		assertThat(this.registry.heldCount()).isZero();
		assertThat(this.registry.waitingCount()).isZero();
	}

	private void assertIsKept(String name) {
		assertThat(this.other.get(name).remainingLeaseOfHolder()).get()
			.satisfies((remaining) -> assertThat(remaining).isGreaterThan(LEASE));
	}

	static class Service {

		@DistributedLock(name = "plain", holdAtLeast = "1h")
		public Duration plain() {
			return LockContext.current().remainingLease();
		}

		@DistributedLock(name = "several", key = "#keys", holdAtLeast = "1h")
		public Duration several(List<String> keys) {
			return LockContext.current().remainingLease();
		}

		@DistributedLock(name = "stage", holdAtLeast = "1h")
		public CompletableFuture<Duration> stage() {
			return CompletableFuture.completedFuture(LockContext.current().remainingLease());
		}

		@DistributedLock(name = "mono", holdAtLeast = "1h")
		public Mono<Duration> mono() {
			return Mono.fromSupplier(() -> LockContext.current().remainingLease());
		}

	}

}
