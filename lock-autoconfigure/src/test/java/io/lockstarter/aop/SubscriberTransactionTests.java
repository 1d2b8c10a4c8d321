package io.lockstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLostException;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
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

	private static final Duration SOON = Duration.ofSeconds(10);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(500), Duration.ofSeconds(30), null, false, 64),
			List.of(listener()));

	private final Transactions transactions = new Transactions(this.events);

	private final TransactionalOperator transaction = TransactionalOperator.create(this.transactions);

	private final Service service = service(true);

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void released(LockHandle lock, Duration held) {
				SubscriberTransactionTests.this.events.add("released");
			}

		};
	}

	private Service service(boolean afterTransaction) {
		ProxyFactory factory = new ProxyFactory(new Service(this.events));
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(new DefaultListableBeanFactory(), () -> this.registry,
				LockAdvisor.DEFAULT_ORDER, afterTransaction));
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
		DefaultTransactionDefinition requiresNew = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		TransactionalOperator inner = TransactionalOperator.create(this.transactions, requiresNew);
		Mono<String> calls = this.service.mono().then(this.service.mono().as(inner::transactional));
		assertThat(calls.as(this.transaction::transactional).block(SOON)).isEqualTo("done");
		eventsAre("begin", "work", "suspend", "begin", "work", "commit", "resume", "commit", "released");
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
		service(false).mono().as(this.transaction::transactional).block(SOON);
		eventsAre("begin", "work", "released", "commit");
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

		@DistributedLock(name = "keyed", key = "#keys")
		public Mono<String> keyed(List<String> keys) {
			return Mono.fromSupplier(() -> {
				work();
				return "done";
			});
		}

	}

	/**
	 * Transactions of nothing.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractReactiveTransactionManager {

		private final List<String> events;

		private volatile boolean existing;

		Transactions(List<String> events) {
			this.events = events;
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.existing;
		}

		@Override
		protected Mono<Object> doSuspend(TransactionSynchronizationManager manager, Object transaction) {
			return Mono.fromSupplier(() -> {
				this.events.add("suspend");
				return transaction;
			});
		}

		@Override
		protected Mono<Void> doResume(TransactionSynchronizationManager manager, @Nullable Object transaction,
				Object suspended) {
			return Mono.fromRunnable(() -> this.events.add("resume"));
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> {
				this.existing = true;
				this.events.add("begin");
			});
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.events.add("commit"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.events.add("rollback"));
		}

	}

}
