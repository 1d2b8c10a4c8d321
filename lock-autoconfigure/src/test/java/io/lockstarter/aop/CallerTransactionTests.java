package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CallerTransaction}.
 */
class CallerTransactionTests {

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(500), Duration.ofSeconds(30), null, false, 64),
			List.of(listener()));

	private final Transactions transactions = new Transactions(this.events);

	private final TransactionTemplate transaction = new TransactionTemplate(this.transactions);

	private final Service service = service();

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void released(LockHandle lock, Duration held) {
				CallerTransactionTests.this.events.add("released");
			}

		};
	}

	private Service service() {
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(new DefaultListableBeanFactory(), () -> this.registry,
				LockAdvisor.DEFAULT_ORDER, true));
		return (Service) factory.getProxy();
	}

	@AfterEach
	void nothingIsLeft() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		await().until(() -> this.registry.heldCount() == 0);
		this.registry.close();
	}

	@Test
	void takesLockAgainThatIsKeptForLongerThanTheMethod() {
		String calls = this.transaction.execute((status) -> this.service.kept() + this.service.kept());
		assertThat(calls).isEqualTo("keptkept");
		eventsAre("begin", "commit", "released");
	}

	@Test
	void takesLockAgainForLongerThanTheMethod() {
		String calls = this.transaction.execute((status) -> this.service.plain() + this.service.kept());
		assertThat(calls).isEqualTo("plainkept");
		eventsAre("begin", "commit", "released");
	}

	@Test
	void takesLockAgainOnOtherTerms() {
		String calls = this.transaction.execute((status) -> this.service.kept() + this.service.plain());
		assertThat(calls).isEqualTo("keptplain");
		eventsAre("begin", "commit", "released");
	}

	@Test
	void takesLockAgainWhileTransactionIsSuspended() {
		String calls = this.transaction.execute((status) -> this.service.kept()
				+ inner(TransactionDefinition.PROPAGATION_REQUIRES_NEW).execute((inner) -> this.service.kept())
				+ inner(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).execute((inner) -> this.service.plain())
				+ this.service.kept());
		assertThat(calls).isEqualTo("keptkeptplainkept");
		eventsAre("begin", "begin", "commit", "commit", "released");
	}

	@Test
	void keepsPermitUntilTransactionIsCompleted() {
		this.transaction.executeWithoutResult((status) -> {
			this.service.permit();
			this.service.permit();
			assertThat(this.registry.held()).singleElement()
				.satisfies((held) -> assertThat(held.permits()).isEqualTo(2));
		});
		eventsAre("begin", "commit", "released");
	}

	@Test
	void takesSeveralLocksAgain() {
		String calls = this.transaction
			.execute((status) -> this.service.keyed(List.of("a", "b")) + this.service.keyed(List.of("b", "c")));
		assertThat(calls).isEqualTo("keyedkeyed");
		await().until(() -> this.events.size() == 5);
		assertThat(this.events).startsWith("begin", "commit");
	}

	/**
	 * Spring sorts the synchronizations of a transaction whenever it is asked for them.
	 */
	@Test
	void keepsManyLocksWithTwoSynchronizations() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 20; i++) {
				this.service.several(List.of("a" + i, "b" + i));
			}
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(2);
			assertThat(this.registry.heldCount()).isEqualTo(40);
		});
		assertThat(this.registry.heldCount()).isZero();
	}

	@Test
	void releasesEachLockAfterTheSynchronizationsThatWereThereBefore() {
		List<Integer> left = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			this.service.several(List.of("a"));
			atCompletion(() -> left.add(this.registry.heldCount()));
			this.service.several(List.of("b"));
			this.service.several(List.of("c"));
			atCompletion(() -> left.add(this.registry.heldCount()));
		});
		assertThat(left).containsExactly(2, 0);
	}

	@Test
	void releasesTheOtherLocksWhenOneWasLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.service.several(List.of("a"));
				this.service.several(List.of("b"));
				this.registry.forceRelease(this.registry.held().get(0).name());
			}));
		assertThat(this.registry.heldCount()).isZero();
	}

	/** Each waits for what the other one keeps. */
	@Test
	void namesBothLocksWhenTransactionsTakeThemInOppositeOrders() {
		CyclicBarrier barrier = new CyclicBarrier(2);
		List<CompletableFuture<Void>> both = Stream.of(List.of("a", "b"), List.of("b", "a"))
			.map((order) -> CompletableFuture.runAsync(() -> separate().executeWithoutResult((status) -> {
				this.service.several(List.of(order.get(0)));
				assertThatNoException().isThrownBy(() -> barrier.await(20, TimeUnit.SECONDS));
				this.service.several(List.of(order.get(1)));
			}), (task) -> new Thread(task).start()))
			.toList();
		assertThat(both).anySatisfy((future) -> assertThat(future).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockAcquisitionTimeoutException.class)
			.withMessageMatching(
					"Lock 'several:(.)' was not acquired within .* The caller's transaction holds lock 'several:(?!\\1).' until it"
							+ " ends\\. If the holder of lock 'several:\\1' waits for that lock, this is a deadlock .*"
							+ " Acquire these locks in the same order .*"));
		await().until(() -> both.stream().allMatch(CompletableFuture::isDone));
	}

	/** Transactions that are not taken for those of another thread. */
	private TransactionTemplate separate() {
		return new TransactionTemplate(new Transactions(this.events));
	}

	@Test
	void namesSomeOfManyLocksThatATransactionKeeps() throws InterruptedException {
		try (LockHandle held = this.registry.acquire(LockRequest.of("several:z").owner(LockOwner.create("other")))) {
			this.transaction.executeWithoutResult((status) -> {
				List<String> last = List.of("z");
				assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
					.isThrownBy(() -> this.service.several(last))
					.withMessageEndingWith("shorten the holder's work");
				this.service.several(List.of("a", "b", "c", "d", "e"));
				assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
					.isThrownBy(() -> this.service.several(last))
					.withMessageContaining("The caller's transaction holds the locks 'several:a', 'several:b',"
							+ " 'several:c' and 2 more until it ends. If the holder of lock 'several:z' waits for one of"
							+ " these, this is a deadlock")
					.satisfies((ex) -> assertThat(ex.holder()).isPresent());
			});
		}
	}

	private static void atCompletion(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				action.run();
			}

		});
	}

	@Test
	void keepsNoLockWhereThereIsNoTransaction() {
		inner(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((status) -> {
			this.service.plain();
			this.events.add("after");
		});
		eventsAre("released", "after");
	}

	@Test
	void releasesLockOfMethodThatEndsTheTransactionItself() {
		TransactionStatus status = this.transactions.getTransaction(this.transaction);
		this.service.running(() -> this.transactions.commit(status));
		eventsAre("begin", "commit", "released");
	}

	private TransactionTemplate inner(int propagation) {
		return new TransactionTemplate(this.transactions, new DefaultTransactionDefinition(propagation));
	}

	private void eventsAre(String... expected) {
		await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	static class Service {

		@DistributedLock(name = "job", holdAtLeast = "50ms")
		public String kept() {
			return "kept";
		}

		@DistributedLock(name = "job")
		public String plain() {
			return "plain";
		}

		@DistributedLock(name = "job")
		public void running(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "permit", permits = "2")
		public void permit() {
		}

		@DistributedLock(name = "several", key = "#keys")
		public void several(List<String> keys) {
		}

		@DistributedLock(name = "keyed", key = "#keys", holdAtLeast = "50ms")
		public String keyed(List<String> keys) {
			return "keyed";
		}

	}

	/**
	 * Transactions of nothing.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractPlatformTransactionManager {

		private final List<String> events;

		private boolean existing;

		Transactions(List<String> events) {
			this.events = events;
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.existing;
		}

		@Override
		protected Object doSuspend(Object transaction) {
			return transaction;
		}

		@Override
		protected void doResume(Object transaction, Object suspended) {
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.existing = true;
			this.events.add("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.events.add("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.events.add("rollback");
		}

	}

}
