package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods that call others: re-entry follows the task.
 */
class ReentryTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(500), Duration.ofSeconds(30), null, false, 64), List.of());

	private final LockedBeans beans = new LockedBeans(this.registry);

	private final Inner inner = this.beans.bean("inner", Inner.class, Inner::new);

	private final Outer outer = this.beans.bean("outer", Outer.class, () -> new Outer(this.inner));

	@AfterEach
	void nothingIsLeft() {
		await().until(() -> this.registry.heldCount() == 0);
		this.beans.close();
		this.registry.close();
	}

	@Test
	void stageReentersInMethod() {
		assertThat(this.outer.stage()).succeedsWithin(SOON).isEqualTo("inner in shared");
	}

	@Test
	void blockingMethodReentersInStage() {
		assertThat(this.outer.stageOfBlocking()).succeedsWithin(SOON).isEqualTo("inner in shared");
	}

	@Test
	void continuationReentersWithCapturedContext() {
		assertThat(this.outer.stageWithContinuation()).succeedsWithin(SOON).isEqualTo("inner in shared");
	}

	@Test
	void monoReentersThroughReactorContext() {
		assertThat(this.outer.mono().block(SOON)).isEqualTo("inner in shared");
	}

	@Test
	void fluxReentersThroughReactorContext() {
		assertThat(this.outer.flux().collectList().block(SOON)).hasSize(3).containsOnly("inner in shared");
	}

	@Test
	void blockingMethodReentersWhereLockIsKept() {
		assertThat(this.outer.kept()).isEqualTo("inner in shared");
	}

	/** Both would run at once if they were taken for the same task. */
	@Test
	void branchesOfOneTaskExcludeEachOther() {
		this.outer.branches().block(SOON);
		assertThat(this.inner.most()).isEqualTo(1);
	}

	/** They hold the first lock together, and each the second. */
	@Test
	void branchesOfOneTaskExcludeEachOtherWithSeveralLocks() {
		this.outer.branchesWithSeveralLocks().block(SOON);
		assertThat(this.inner.most()).isEqualTo(1);
	}

	@Test
	void blockingBranchesOfOneTaskExcludeEachOtherWithSeveralLocks() {
		this.outer.blockingBranchesWithSeveralLocks().block(SOON);
		assertThat(this.inner.most()).isEqualTo(1);
	}

	@Test
	void reentersEachOfSeveralLocksAlone() {
		assertThat(this.outer.eachOfSeveral().collectList().block(SOON)).containsExactly("shared:a", "shared:b",
				"shared:a, shared:b");
	}

	@Test
	void blockingMethodReentersEachOfSeveralLocksAlone() {
		assertThat(this.outer.blockingEachOfSeveral()).isEqualTo("shared:a, shared:b");
	}

	@Test
	void reentersLocksThatSurroundingCallsHoldForDifferentOwners() {
		assertThat(this.outer.monoOfTwoCalls().block(SOON)).isEqualTo("shared:a, shared:b");
	}

	@Test
	void blockingMethodReentersLocksThatSurroundingCallsHoldForDifferentOwners() {
		assertThat(this.outer.blockingOfTwoCalls().block(SOON)).isEqualTo("shared:a, shared:b");
	}

	@Test
	void tasksDoNotReenterEachOther() {
		Mono<Long> both = Flux.range(0, 8).flatMap((i) -> this.inner.counted()).count();
		assertThat(both.block(SOON)).isEqualTo(8);
		assertThat(this.inner.most()).isEqualTo(1);
	}

	@Test
	void stageInBlockingMethodIsAnotherTask() {
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(this.outer::waitingForStage);
	}

	@Test
	void contextTellsLockWhileMethodIsSubscribedTo() {
		assertThat(this.inner.current().block(SOON)).isEqualTo("shared");
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void reactorContextTellsLock() {
		assertThat(this.inner.currentInPipeline().block(SOON)).isEqualTo("shared");
	}

	static class Outer {

		private final Inner inner;

		Outer(Inner inner) {
			this.inner = inner;
		}

		@DistributedLock(name = "shared")
		public CompletableFuture<String> stage() {
			return this.inner.stage();
		}

		@DistributedLock(name = "shared")
		public CompletableFuture<String> stageOfBlocking() {
			return CompletableFuture.completedFuture(this.inner.blocking());
		}

		@DistributedLock(name = "shared")
		public CompletableFuture<String> stageWithContinuation() {
			LockContext context = LockContext.capture();
			return CompletableFuture.supplyAsync(() -> {
				try (LockContext.Scope scope = context.restore()) {
					return this.inner.blocking();
				}
			}, CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
		}

		@DistributedLock(name = "shared")
		public Mono<String> mono() {
			return Mono.delay(Duration.ofMillis(50)).then(Mono.defer(this.inner::mono));
		}

		@DistributedLock(name = "shared")
		public Flux<String> flux() {
			return Flux.range(0, 3).publishOn(Schedulers.parallel()).flatMap((i) -> this.inner.mono());
		}

		@DistributedLock(name = "shared", holdAtLeast = "100ms")
		public String kept() {
			return this.inner.blocking();
		}

		@DistributedLock(name = "shared")
		public Mono<Void> branches() {
			return Flux.range(0, 8).flatMap((i) -> this.inner.counted()).then();
		}

		@DistributedLock(name = "shared", key = "'a'")
		public Mono<Void> branchesWithSeveralLocks() {
			return Flux.range(0, 4).flatMap((i) -> this.inner.countedUnder(List.of("b", "a"))).then();
		}

		@DistributedLock(name = "shared", key = "'a'")
		public Mono<Void> blockingBranchesWithSeveralLocks() {
			return Flux.range(0, 4)
				.flatMap((i) -> here(() -> this.inner.countedBlocking(List.of("a", "b")))
					.subscribeOn(Schedulers.boundedElastic()))
				.then();
		}

		@DistributedLock(name = "shared", key = "'a'")
		public Flux<String> eachOfSeveral() {
			return this.inner.under(List.of("a", "b"), Flux.just(List.of("a"), List.of("b"), List.of("a", "b"))
				.concatMap((keys) -> this.inner.under(keys, names())));
		}

		@DistributedLock(name = "shared", key = "'a'")
		public String blockingEachOfSeveral() {
			return this.inner.blockingUnder(List.of("a", "b"), () -> this.inner.blockingUnder(List.of("b"),
					() -> this.inner.blockingUnder(List.of("a", "b"), () -> LockContext.current().name())));
		}

		@DistributedLock(name = "shared", key = "'a'")
		public Mono<String> monoOfTwoCalls() {
			return this.inner.under(List.of("b"), this.inner.under(List.of("a", "b"), names())).single();
		}

		@DistributedLock(name = "shared", key = "'a'")
		public Mono<String> blockingOfTwoCalls() {
			return this.inner
				.under(List.of("b"),
						here(() -> this.inner.blockingUnder(List.of("a", "b"), () -> LockContext.current().name())))
				.single();
		}

		private static Mono<String> names() {
			return here(() -> LockContext.current().name());
		}

		/** Do something on the thread that subscribes, under the pipeline's locks. */
		private static <T> Mono<T> here(Supplier<T> work) {
			return Mono.deferContextual((context) -> {
				try (LockContext.Scope scope = context.get(LockContext.class).restore()) {
					return Mono.just(work.get());
				}
			});
		}

		@DistributedLock(name = "shared")
		public String waitingForStage() {
			try {
				return this.inner.stage().join();
			}
			catch (CompletionException ex) {
				throw (RuntimeException) ex.getCause();
			}
		}

	}

	static class Inner {

		private final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger running = new AtomicInteger();

		public int most() {
			return this.most.get();
		}

		@DistributedLock(name = "shared", waitTime = "0")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("inner in " + LockContext.current().name());
		}

		@DistributedLock(name = "shared", waitTime = "0")
		public String blocking() {
			return "inner in " + LockContext.current().name();
		}

		@DistributedLock(name = "shared", waitTime = "0")
		public Mono<String> mono() {
			return Mono.just("inner in " + LockContext.current().name());
		}

		@DistributedLock(name = "shared")
		public Mono<String> current() {
			return Mono.fromCallable(() -> LockContext.current().name());
		}

		@DistributedLock(name = "shared")
		public Mono<String> currentInPipeline() {
			return Mono.delay(Duration.ofMillis(10))
				.then(Mono.deferContextual(
						(context) -> Mono.just(context.get(LockContext.class).handle().orElseThrow().name())));
		}

		@DistributedLock(name = "shared", key = "#keys", waitTime = "0")
		public Flux<String> under(List<String> keys, Publisher<String> work) {
			return Flux.from(work);
		}

		@DistributedLock(name = "shared", key = "#keys", waitTime = "0")
		public String blockingUnder(List<String> keys, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "shared", key = "#keys", waitTime = "10s")
		public Mono<Integer> countedUnder(List<String> keys) {
			return count();
		}

		@DistributedLock(name = "shared", key = "#keys", waitTime = "10s")
		public Integer countedBlocking(List<String> keys) {
			return count().block(SOON);
		}

		@DistributedLock(name = "branch", waitTime = "10s")
		public Mono<Integer> counted() {
			return count();
		}

		private Mono<Integer> count() {
			return Mono.fromSupplier(this.running::incrementAndGet)
				.doOnNext((now) -> this.most.accumulateAndGet(now, Math::max))
				.delayElement(Duration.ofMillis(20))
				.doOnNext((now) -> this.running.decrementAndGet());
		}

	}

}
