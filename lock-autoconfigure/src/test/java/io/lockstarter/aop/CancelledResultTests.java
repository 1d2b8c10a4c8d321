package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for work whose caller cancels the result, as Spring MVC may when a request times
 * out, while the work goes on.
 */
class CancelledResultTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(500), Duration.ofSeconds(30), null, false, 64), List.of());

	private final ExecutorService workers = Executors.newCachedThreadPool();

	private final CountDownLatch begun = new CountDownLatch(1);

	private final CountDownLatch end = new CountDownLatch(1);

	private final Service service = service();

	private Service service() {
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(new DefaultListableBeanFactory(), () -> this.registry,
				LockAdvisor.DEFAULT_ORDER, true));
		return (Service) factory.getProxy();
	}

	@AfterEach
	void close() {
		this.end.countDown();
		this.workers.shutdownNow();
		this.registry.close();
	}

	@ParameterizedTest
	@EnumSource
	void keepsLockWhileWorkGoesOn(Kind kind) throws InterruptedException {
		CompletableFuture<String> work = CompletableFuture.supplyAsync(this::work, this.workers);
		Future<?> result = kind.call.apply(new Call(this.service, this.registry, new Work(work, this.begun)));
		this.begun.await();
		assertThat(this.registry.heldCount()).isEqualTo(kind.locks);
		result.cancel(true);
		assertThat(result.isCancelled()).isTrue();
		assertThat(work).isNotDone();
		assertThat(this.registry.heldCount()).isEqualTo(kind.locks);
		this.end.countDown();
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(work).isCompletedWithValue("done");
	}

	private String work() {
		boolean over = false;
		while (!over) {
			try {
				this.end.await();
				over = true;
			}
			catch (InterruptedException ex) {
				// Work that takes no notice.
			}
		}
		return "done";
	}

	/**
	 * Work that goes on after the method has returned.
	 */
	record Work(CompletableFuture<String> result, CountDownLatch begun) {

		CompletableFuture<String> begin() {
			this.begun.countDown();
			return this.result;
		}

	}

	/**
	 * Work, and from where its lock comes.
	 */
	record Call(Service service, DefaultLockRegistry registry, Work work) {
	}

	/**
	 * How the lock is held.
	 */
	enum Kind {

		EXECUTE_ASYNC(1, (call) -> call.registry.executeAsync(LockRequest.of("job"), call.work::begin)),
		EXECUTE_ASYNC_READ(1,
				(call) -> call.registry.executeAsync(LockRequest.of("job").type(LockType.READ), call.work::begin)),
		FUTURE(1, (call) -> call.service.future(call.work)),
		PLAIN_FUTURE(1, (call) -> call.service.plainFuture(call.work)),
		STAGE(1, (call) -> call.service.stage(call.work).toCompletableFuture()),
		FAIR(1, (call) -> call.service.fair(call.work)), KEPT(1, (call) -> call.service.kept(call.work)),
		SEVERAL(2, (call) -> call.service.several(call.work));

		private final int locks;

		private final Function<Call, Future<?>> call;

		Kind(int locks, Function<Call, Future<?>> call) {
			this.locks = locks;
			this.call = call;
		}

	}

	static class Service {

		@DistributedLock(name = "job")
		public CompletableFuture<String> future(Work work) {
			return work.begin();
		}

		@DistributedLock(name = "job")
		public Future<String> plainFuture(Work work) {
			return work.begin();
		}

		@DistributedLock(name = "job")
		public CompletionStage<String> stage(Work work) {
			return work.begin();
		}

		@DistributedLock(name = "job", type = LockType.FAIR)
		public CompletableFuture<String> fair(Work work) {
			return work.begin();
		}

		@DistributedLock(name = "job", holdAtLeast = "10ms")
		public CompletableFuture<String> kept(Work work) {
			return work.begin();
		}

		@DistributedLock(name = "several", key = "{'a', 'b'}")
		public CompletableFuture<String> several(Work work) {
			return work.begin();
		}

	}

}
