package io.lockstarter.aop;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.reactor.ReactorLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SubscriberTransaction}.
 */
class SubscriberTransactionTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = registry(Duration.ofSeconds(2));

	private final Transactions transactions = new Transactions(this.events);

	private final TransactionalOperator transaction = TransactionalOperator.create(this.transactions);

	private final TransactionalOperator inner = this.transactions
		.operator(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

	private final Service service = service(this.registry, true);

	private DefaultLockRegistry registry(Duration lease) {
		return new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()),
				new EngineSettings("test", Duration.ofMillis(500), lease, null, false, 64), List.of(listener()));
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void released(LockHandle lock, Duration held) {
				SubscriberTransactionTests.this.events.add("released");
			}

		};
	}

	private Service service(DefaultLockRegistry registry, boolean afterTransaction) {
		ProxyFactory factory = new ProxyFactory(new Service(this.events));
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(new DefaultListableBeanFactory(), () -> registry, LockAdvisor.DEFAULT_ORDER,
				afterTransaction));
		return (Service) factory.getProxy();
	}

	@AfterEach
	void nothingIsLeft() {
		await().until(() -> this.registry.heldCount() == 0);
		this.registry.close();
	}

	@Test
	void keepsLockUntilCommit() {
		assertThat(this.service.mono().as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "commit", "released");
	}

	@Test
	void keepsLockOfSeveralSignalsUntilCommit() {
		assertThat(this.service.flux().as(this.transaction::transactional).collectList().block(SOON)).hasSize(2);
		eventsAre("begin", "work", "commit", "released");
	}

	@Test
	void releasesLockOfPipelineBeforeCommit() {
		Mono<String> locked = new ReactorLocks(this.registry).withLock(LockRequest.of("job"), Mono.fromSupplier(() -> {
			this.events.add("work");
			return "done";
		}));
		assertThat(locked.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "released", "commit");
	}

	/** Its last signal comes while the transaction is suspended. */
	@Test
	void keepsLockOfSignalsThatAreWorkedOnInTransactionsOfTheirOwn() {
		this.transactions.innerBegin = Mono.delay(Duration.ofMillis(50));
		Flux<String> works = this.service.flux().concatMap((signal) -> Mono.just(signal).as(this.inner::transactional));
		assertThat(works.as(this.transaction::transactional).collectList().block(SOON)).containsExactly("one", "two");
		await().until(() -> this.events.contains("released"));
		assertThat(this.events).doesNotContain("rollback").endsWith("commit", "released");
	}

	/**
	 * That may have to wait for a connection, and no transaction is in force as long. It
	 * must not take so long that two looks find none.
	 */
	@Test
	@Tag("stress")
	void keepsLockWhileTransactionInsideTakesLongToBegin() {
		this.transactions.innerBegin = Mono.delay(Duration.ofMillis(2300));
		Mono<String> calls = this.service.mono().then(Mono.just("done").as(this.inner::transactional));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "commit", "resume", "commit", "released");
	}

	@Test
	void keepsLockUntilRollback() {
		Mono<String> call = this.service.failing().as(this.transaction::transactional);
		assertThatIllegalStateException().isThrownBy(() -> call.block(SOON)).withMessage("business");
		eventsAre("begin", "work", "rollback", "released");
	}

	@Test
	void keepsLockOfFailedMethodUntilCommit() {
		Mono<String> call = this.service.failing().onErrorReturn("instead");
		assertThat(call.as(this.transaction::transactional).block(SOON)).isEqualTo("instead");
		eventsAre("begin", "work", "commit", "released");
	}

	@Test
	void keepsLockOfCancelledMethodUntilCommit() {
		Mono<String> call = this.service.flux().next();
		assertThat(call.as(this.transaction::transactional).block(SOON)).isEqualTo("one");
		eventsAre("begin", "work", "commit", "released");
	}

	@Test
	void keepsLockUntilCancelledTransactionIsRolledBack() {
		Disposable subscription = this.service.endless().as(this.transaction::transactional).subscribe();
		await().until(() -> this.events.contains("work"));
		subscription.dispose();
		eventsAre("begin", "work", "rollback", "released");
	}

	@Test
	void takesLockAgainInTransactionThatKeepsIt() {
		Mono<String> calls = this.service.mono().then(this.service.mono());
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "work", "commit", "released");
	}

	@Test
	void takesLockAgainInTransactionForWhichTheOneThatKeepsItIsSuspended() {
		Mono<String> calls = this.service.mono().then(this.service.mono().as(this.inner::transactional));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "work", "commit", "resume", "commit", "released");
	}

	@Test
	void takesLockAgainOutsideOfTransactionThatIsSuspended() {
		TransactionalOperator outside = this.transactions.operator(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		Mono<String> calls = this.service.mono().then(this.service.mono().as(outside::transactional));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "work", "resume", "commit", "released");
	}

	@Test
	void keepsLockForTransactionThatIsInForceOnly() {
		Mono<String> calls = this.service.mono().then(this.service.keyed(List.of("a")).as(this.inner::transactional));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "work", "commit", "released", "resume", "commit", "released");
	}

	@Test
	void keepsNoLockWhereThereIsNoTransaction() {
		TransactionalOperator outside = this.transactions.operator(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		Mono<?> calls = this.service.mono().then(Mono.fromRunnable(() -> this.events.add("after")));
		calls.as(outside::transactional).block(SOON);
		eventsAre("work", "released", "after");
	}

	@Test
	void keepsLockOnceForManyCalls() {
		int calls = 2_000;
		AtomicInteger kept = new AtomicInteger();
		Mono<Void> all = this.service.mono()
			.repeat(calls - 1)
			.then(Mono.deferContextual((context) -> Mono.fromRunnable(() -> kept.set(entries(context)))));
		all.as(this.transaction::transactional).block(SOON);
		assertThat(this.events).hasSize(calls + 3).endsWith("commit", "released");
		assertThat(kept).hasValue(1);
	}

	@Test
	void keepsLockOfMethodThatIsCancelledInTransactionOfItsOwn() {
		Sinks.Empty<Void> rollback = Sinks.empty();
		this.transactions.rollback = rollback.asMono();
		CompletableFuture<String> done = new CompletableFuture<>();
		CompletableFuture<@Nullable String> result = cancelledInside(this.service.inTransaction(this.inner, null),
				done);
		rollback.tryEmitEmpty();
		await().until(() -> this.events.contains("resume"));
		done.complete("done");
		assertThat(result).succeedsWithin(SOON).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "work", "rollback", "resume", "commit", "released");
	}

	@Test
	void keepsLockOfMethodWhoseOwnTransactionEndsAfterThatOfTheSubscriber() {
		Sinks.Empty<Void> rollback = Sinks.empty();
		this.transactions.rollback = rollback.asMono();
		Mono<String> call = this.service.inTransaction(this.inner, null);
		assertThat(cancelledInside(call, CompletableFuture.completedFuture("done"))).succeedsWithin(SOON)
			.isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "work", "commit", "released");
		rollback.tryEmitEmpty();
	}

	/** Call a method that is cancelled in a transaction of its own, and go on. */
	private CompletableFuture<@Nullable String> cancelledInside(Mono<String> call, CompletableFuture<String> done) {
		Sinks.Empty<Void> stop = Sinks.empty();
		CompletableFuture<@Nullable String> result = call.takeUntilOther(stop.asMono())
			.then(Mono.fromFuture(done))
			.as(this.transaction::transactional)
			.toFuture();
		await().until(() -> Collections.frequency(this.events, "work") == 2);
		stop.tryEmitEmpty();
		return result;
	}

	@Test
	void releasesLockWhenBothTransactionsAreCancelled() {
		Sinks.Empty<Void> rollback = Sinks.empty();
		this.transactions.rollback = rollback.asMono();
		Disposable subscription = this.service.inTransaction(this.inner, null)
			.as(this.transaction::transactional)
			.subscribe();
		await().until(() -> Collections.frequency(this.events, "work") == 2);
		subscription.dispose();
		assertThat(this.registry.heldCount()).isEqualTo(1);
		rollback.tryEmitEmpty();
		await().until(() -> this.events.contains("released"));
	}

	/** Spring fails then, and tells nobody of the end. */
	@Test
	void releasesLockWhenBothTransactionsAreRolledBackAtOnce() {
		Sinks.Empty<Void> rollback = Sinks.empty();
		Sinks.Empty<Void> completion = Sinks.empty();
		this.transactions.rollback = rollback.asMono();
		Disposable subscription = this.service.inTransaction(this.inner, completing(completion.asMono()))
			.as(this.transaction::transactional)
			.subscribe();
		await().until(() -> Collections.frequency(this.events, "work") == 2);
		subscription.dispose();
		rollback.tryEmitEmpty();
		await().until(() -> Collections.frequency(this.events, "rollback") == 2);
		assertThat(this.registry.heldCount()).isEqualTo(1);
		completion.tryEmitEmpty();
		awaitCollected(() -> this.events.contains("released"));
	}

	/** All that is left to find out that a transaction is over. */
	private static void awaitCollected(Callable<Boolean> done) {
		await().until(() -> {
			System.gc();
			return done.call();
		});
	}

	@Test
	void releasesLockOfMethodThatIsCancelledWhileItsOwnTransactionBegins() {
		this.transactions.innerBegin = Mono.never();
		Disposable subscription = this.service.inTransaction(this.inner, null)
			.as(this.transaction::transactional)
			.subscribe();
		await().until(() -> this.events.contains("suspend"));
		subscription.dispose();
		await().until(() -> this.events.contains("released"));
	}

	/** Spring fails then, and tells nobody of the end. */
	@Test
	void releasesLockWhenTransactionIsCommittedAsTheOneInsideEnds() {
		Sinks.Empty<Void> rollback = Sinks.empty();
		Sinks.Empty<Void> commit = Sinks.empty();
		Sinks.Empty<Void> completion = Sinks.empty();
		this.transactions.rollback = rollback.asMono();
		this.transactions.commit = commit.asMono();
		try (DefaultLockRegistry shortly = registry(Duration.ofSeconds(1))) {
			Mono<String> call = service(shortly, true).inTransaction(this.inner, completing(completion.asMono()));
			CompletableFuture<@Nullable String> result = cancelledInside(call,
					CompletableFuture.completedFuture("done"));
			await().until(() -> commit.currentSubscriberCount() == 1);
			rollback.tryEmitEmpty();
			await().until(() -> completion.currentSubscriberCount() == 1);
			commit.tryEmitEmpty();
			assertThat(result).failsWithin(SOON);
			assertThat(this.events).doesNotContain("released");
			completion.tryEmitEmpty();
			awaitCollected(() -> shortly.heldCount() == 0);
		}
	}

	private static TransactionSynchronization completing(Mono<Void> completion) {
		return new TransactionSynchronization() {

			@Override
			public Mono<Void> afterCompletion(int status) {
				return completion;
			}

		};
	}

	@Test
	void keepsLockOfMethodThatIsCancelledWhileItsOwnTransactionIsCleanedUp() {
		Sinks.Empty<Void> cleanup = Sinks.empty();
		this.transactions.innerCleanup = cleanup.asMono();
		cancelWhileOwnTransactionEnds(this.service.failingIn(this.inner, null), cleanup, () -> {
		}).block(SOON);
		eventsAre("begin", "suspend", "begin", "work", "rollback", "resume", "commit", "released");
	}

	/** It cannot be told then whether the subscriber's transaction will go on. */
	@Test
	void doesNotCommitWhenLockWasReleasedWhileAnotherTransactionEnded() {
		Sinks.Empty<Void> completion = Sinks.empty();
		Mono<String> call = cancelWhileOwnTransactionEnds(
				this.service.failingIn(this.inner, completing(completion.asMono())), completion,
				() -> await().until(() -> this.events.contains("released")));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> call.block(SOON));
		assertThat(this.events).contains("rollback").doesNotContain("commit");
	}

	private Mono<String> cancelWhileOwnTransactionEnds(Mono<String> call, Sinks.Empty<Void> end, Runnable cancelled) {
		Sinks.Empty<Void> stop = Sinks.empty();
		CompletableFuture<String> done = new CompletableFuture<>();
		CompletableFuture<@Nullable String> result = call.takeUntilOther(stop.asMono())
			.then(Mono.fromFuture(done))
			.as(this.transaction::transactional)
			.toFuture();
		await().until(() -> end.currentSubscriberCount() == 1);
		stop.tryEmitEmpty();
		cancelled.run();
		end.tryEmitEmpty();
		await().until(() -> this.events.contains("resume"));
		done.complete("done");
		return Mono.fromFuture(result);
	}

	@Test
	void releasesLockOfMethodThatGoesOnAfterTransactionAsItEnds() {
		AtomicReference<Disposable> call = new AtomicReference<>();
		Mono<Void> begun = Mono.deferContextual((context) -> Mono.fromRunnable(() -> {
			call.set(this.service.endless().contextWrite(context).subscribe());
			await().until(() -> this.events.contains("work"));
		}));
		begun.as(this.transaction::transactional).block(SOON);
		call.get().dispose();
		eventsAre("begin", "work", "commit", "released");
	}

	@Test
	void takesSeveralLocksAgainThatItKeepsForDifferentCalls() {
		Mono<String> calls = this.service.keyed(List.of("a"))
			.then(this.service.keyed(List.of("b")))
			.then(this.service.keyed(List.of("a", "b", "c")));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		assertThat(this.events).startsWith("begin", "work", "work", "work", "commit");
	}

	@Test
	void doesNotCommitWhenLockWasLost() {
		Mono<String> call = this.service.mono().doOnNext((done) -> this.registry.forceRelease("job"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> call.as(this.transaction::transactional).block(SOON));
		assertThat(this.events).contains("rollback").doesNotContain("commit");
	}

	@Test
	void releasesLockBeforeCommitWhereThatIsAskedFor() {
		service(this.registry, false).mono().as(this.transaction::transactional).block(SOON);
		eventsAre("begin", "work", "released", "commit");
	}

	/** What is to be done when the transaction of a subscriber is completed. */
	private static int entries(ContextView subscriber) {
		return subscriber.get(TransactionContext.class).getSynchronizations().size();
	}

	private void eventsAre(String... expected) {
		await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	static class Service {

		private final List<String> events;

		Service(List<String> events) {
			this.events = events;
		}

		private void work() {
			this.events.add("work");
		}

		@DistributedLock(name = "job")
		public Mono<String> mono() {
			return Mono.just("done").doOnNext((done) -> work());
		}

		@DistributedLock(name = "job")
		public Flux<String> flux() {
			return Flux.just("one", "two").delayElements(Duration.ofMillis(10)).doOnSubscribe((subscription) -> work());
		}

		@DistributedLock(name = "job")
		public Mono<String> failing() {
			return Mono.error(() -> {
				work();
				return new IllegalStateException("business");
			});
		}

		@DistributedLock(name = "job")
		public Mono<String> endless() {
			return Mono.<String>never().doOnSubscribe((subscription) -> work());
		}

		@DistributedLock(name = "job")
		public Mono<String> inTransaction(TransactionalOperator own, @Nullable TransactionSynchronization with) {
			return Mono.fromRunnable(this::work).then(register(with).then(endless()).as(own::transactional));
		}

		@DistributedLock(name = "job")
		public Mono<String> failingIn(TransactionalOperator own, @Nullable TransactionSynchronization with) {
			return register(with).then(failing()).as(own::transactional);
		}

		private static Mono<?> register(@Nullable TransactionSynchronization synchronization) {
			return TransactionSynchronizationManager.forCurrentTransaction().doOnNext((manager) -> {
				if (synchronization != null) {
					manager.registerSynchronization(synchronization);
				}
			});
		}

		@DistributedLock(name = "keyed", key = "#keys")
		public Mono<String> keyed(List<String> keys) {
			return Mono.fromSupplier(() -> {
				work();
				return "done";
			});
		}

	}

	/**
	 * Transactions of nothing, which may be made to take their time.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractReactiveTransactionManager {

		private final List<String> events;

		private final AtomicInteger begun = new AtomicInteger();

		private volatile Mono<?> innerBegin = Mono.empty();

		private volatile Mono<?> rollback = Mono.empty();

		private volatile Mono<?> commit = Mono.empty();

		private volatile Mono<?> innerCleanup = Mono.empty();

		Transactions(List<String> events) {
			this.events = events;
		}

		TransactionalOperator operator(int propagation) {
			return TransactionalOperator.create(this, new DefaultTransactionDefinition(propagation));
		}

		private Mono<Void> event(String event) {
			return Mono.fromRunnable(() -> this.events.add(event));
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new AtomicReference<>(manager.getResource(this));
		}

		@SuppressWarnings("unchecked")
		private static AtomicReference<@Nullable Object> transaction(Object transaction) {
			return (AtomicReference<@Nullable Object>) transaction;
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return transaction(transaction).get() != null;
		}

		@Override
		protected Mono<Object> doSuspend(TransactionSynchronizationManager manager, Object transaction) {
			return event("suspend").then(Mono.fromSupplier(() -> {
				transaction(transaction).set(null);
				return manager.unbindResource(this);
			}));
		}

		@Override
		protected Mono<Void> doResume(TransactionSynchronizationManager manager, @Nullable Object transaction,
				Object suspended) {
			return Mono.<Void>fromRunnable(() -> manager.bindResource(this, suspended)).then(event("resume"));
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return ((this.begun.getAndIncrement() == 0) ? Mono.empty() : this.innerBegin).then(event("begin"))
				.then(Mono.fromRunnable(() -> manager.bindResource(this, new Object())));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return this.commit.then(event("commit"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return this.rollback.then(event("rollback"));
		}

		@Override
		protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager manager, Object transaction) {
			return ((this.begun.get() == 1) ? Mono.empty() : this.innerCleanup)
				.then(Mono.fromRunnable(() -> manager.unbindResourceIfPossible(this)));
		}

	}

}
