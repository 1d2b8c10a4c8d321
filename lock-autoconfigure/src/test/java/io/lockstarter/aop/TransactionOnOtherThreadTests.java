package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CallerTransaction} where a transaction is not completed by the thread
 * that has called the locked methods, as may happen with JTA.
 */
class TransactionOnOtherThreadTests {

	private final List<String> released = new CopyOnWriteArrayList<>();

	private final List<LockLoss> lost = new CopyOnWriteArrayList<>();

	private final AtomicInteger renewed = new AtomicInteger();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new InMemoryLockBackend(new InMemoryLockStore()),
			new EngineSettings("test", Duration.ofMillis(200), Duration.ofMillis(600), null, true, 64),
			List.of(listener()));

	private final Transactions transactions = new Transactions();

	private final TransactionTemplate participating = new TransactionTemplate(this.transactions);

	private final Service service = service();

	private final ExecutorService reaper = Executors.newSingleThreadExecutor();

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void released(LockHandle lock, Duration held) {
				TransactionOnOtherThreadTests.this.released.add(lock.name());
			}

			@Override
			public void renewed(LockHandle lock) {
				TransactionOnOtherThreadTests.this.renewed.incrementAndGet();
			}

			@Override
			public void lost(LockLoss loss) {
				TransactionOnOtherThreadTests.this.lost.add(loss);
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
		this.reaper.shutdownNow();
	}

	@ParameterizedTest
	@EnumSource(Call.class)
	void releasesLockOnceWhenAnotherThreadCompletesTransaction(Call call) {
		this.participating.executeWithoutResult((status) -> call.call.accept(this.service));
		assertThat(this.released).isEmpty();
		assertThat(this.registry.heldCount()).isEqualTo(call.locks);
		completeElsewhere();
		await().until(() -> this.registry.heldCount() == 0);
		await().untilAsserted(() -> assertThat(this.released).hasSize(call.locks));
		assertThat(this.lost).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Call.class)
	void givesLockToNoLaterCallOfFirstThread(Call call) {
		this.participating.executeWithoutResult((status) -> call.call.accept(this.service));
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> call.call.accept(this.service));
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> this.participating.executeWithoutResult((status) -> call.call.accept(this.service)));
		completeElsewhere();
		await().until(() -> this.registry.heldCount() == 0);
		call.call.accept(this.service);
	}

	@Test
	void givesPermitToNoLaterCallOfFirstThread() {
		this.participating.executeWithoutResult((status) -> this.service.permit());
		this.service.permit();
		assertThat(this.released).hasSize(1);
		this.participating.executeWithoutResult((status) -> this.service.permit());
		assertThat(this.registry.heldCount()).isEqualTo(2);
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(this.service::permit)
			.withMessageContaining("all 2 permits are held");
		completeElsewhere();
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(this.lost).isEmpty();
	}

	@Test
	void isNoNamedLockOfFirstThreadAnyMore() {
		this.participating.executeWithoutResult((status) -> this.service.plain());
		NamedLock lock = this.registry.get("job");
		assertThat(lock.isHeldByCurrentOwner()).isFalse();
		assertThat(lock.tryLock()).isFalse();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(lock::unlock);
		completeElsewhere();
		lock.lock();
		lock.unlock();
	}

	@Test
	void letsFirstThreadReadOnItsOwnAccount() {
		this.participating.executeWithoutResult((status) -> this.service.read());
		NamedLock reading = this.registry.get(LockRequest.of("job").type(LockType.READ));
		assertThat(reading.tryLock()).isTrue();
		assertThat(this.registry.heldCount()).isEqualTo(2);
		completeElsewhere();
		await().until(() -> this.registry.heldCount() == 1);
		assertThat(reading.isHeldByCurrentOwner()).isTrue();
		reading.unlock();
	}

	@Test
	void keepsLockThoughFirstThreadHasEnded() throws Exception {
		Thread first = new Thread(() -> this.participating.executeWithoutResult((status) -> this.service.plain()));
		first.start();
		first.join();
		int before = this.renewed.get();
		await().until(() -> this.renewed.get() >= before + 2);
		assertThat(this.registry.heldCount()).isEqualTo(1);
		completeElsewhere();
		await().until(() -> this.released.equals(List.of("job")));
		assertThat(this.lost).isEmpty();
	}

	@Test
	void doesNotInterruptFirstThreadThatHasGoneOn() {
		this.participating.executeWithoutResult((status) -> this.service.plain());
		this.registry.forceRelease("job");
		await().until(() -> !this.lost.isEmpty());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.registry.get("job").loss()).isEmpty();
		completeElsewhere();
	}

	@Test
	void releasesLockThatIsTakenAgainByFirstThread() {
		this.service.running(() -> {
			this.participating.executeWithoutResult((status) -> this.service.plain());
			completeElsewhere();
			assertThat(this.registry.heldCount()).isEqualTo(1);
			assertThat(this.registry.get("job").isHeldByCurrentOwner()).isTrue();
		});
		await().until(() -> this.released.equals(List.of("job")));
	}

	@Test
	void releasesLockThatIsTakenAgainWithinTransaction() {
		this.participating.executeWithoutResult((status) -> {
			this.service.plain();
			this.service.plain();
			NamedLock lock = this.registry.get("job");
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
		});
		completeElsewhere();
		await().until(() -> this.released.equals(List.of("job")));
	}

	/** What Spring's adapter for JTA does. */
	@Test
	void releasesLockWhenAnotherThreadCompletesTransactionUnderItsMethod() throws Exception {
		this.participating.executeWithoutResult((status) -> {
			this.service.plain();
			List<TransactionSynchronization> told = TransactionSynchronizationManager.getSynchronizations();
			CompletableFuture
				.runAsync(
						() -> told.forEach((one) -> one.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)),
						this.reaper)
				.join();
			await().until(() -> this.released.equals(List.of("job")));
			TransactionSynchronizationManager.clearSynchronization();
			TransactionSynchronizationManager.initSynchronization();
		});
	}

	@Test
	void takesLockAgainInCallbacksOfThreadThatCompletesTransaction() {
		List<String> calls = new ArrayList<>();
		Consumer<String> again = (phase) -> {
			calls.add(phase + this.service.plain());
			calls.add(phase + this.service.kept());
			NamedLock lock = this.registry.get("job");
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
		};
		Consumer<String> inAnother = (phase) -> new TransactionTemplate(this.transactions,
				new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
			.executeWithoutResult((status) -> again.accept(phase));
		new TransactionTemplate(this.transactions,
				new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
			.executeWithoutResult((status) -> {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCompletion() {
						again.accept("before:");
					}

					@Override
					public void afterCommit() {
						again.accept("committed:");
						inAnother.accept("another:");
					}

					@Override
					public void afterCompletion(int completed) {
						again.accept("after:");
						inAnother.accept("another:");
						again.accept("after:");
					}

				});
				this.service.plain();
				this.service.kept();
			});
		assertThat(calls).containsExactly("before:plain", "before:kept", "committed:plain", "committed:kept",
				"another:plain", "another:kept", "after:plain", "after:kept", "another:plain", "another:kept",
				"after:plain", "after:kept");
		await().until(() -> this.released.contains("job"));
	}

	private void completeElsewhere() {
		CompletableFuture.runAsync(this.transactions::complete, this.reaper).join();
		CompletableFuture
			.runAsync(() -> assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty(), this.reaper)
			.join();
	}

	/**
	 * A call of a method with its locks.
	 */
	enum Call {

		PLAIN(1, Service::plain), FAIR(1, Service::fair), WRITE(1, Service::write), KEPT(1, Service::kept),
		SEVERAL(2, Service::several), SEVERAL_KEPT(2, Service::severalKept);

		private final int locks;

		private final Consumer<Service> call;

		Call(int locks, Consumer<Service> call) {
			this.locks = locks;
			this.call = call;
		}

	}

	static class Service {

		@DistributedLock(name = "job")
		public String plain() {
			return "plain";
		}

		@DistributedLock(name = "job", type = LockType.FAIR)
		public String fair() {
			return "fair";
		}

		@DistributedLock(name = "job", type = LockType.WRITE)
		public String write() {
			return "write";
		}

		@DistributedLock(name = "job", type = LockType.READ)
		public String read() {
			return "read";
		}

		@DistributedLock(name = "permit", permits = "2")
		public void permit() {
		}

		@DistributedLock(name = "kept", holdAtLeast = "20ms")
		public String kept() {
			return "kept";
		}

		@DistributedLock(name = "several", key = "{'a', 'b'}")
		public String several() {
			return "several";
		}

		@DistributedLock(name = "several", key = "{'a', 'b'}", holdAtLeast = "20ms")
		public String severalKept() {
			return "several";
		}

		@DistributedLock(name = "job")
		public void running(Runnable work) {
			work.run();
		}

	}

	/**
	 * Transactions of nothing. One is there already, which others have begun and
	 * complete.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractPlatformTransactionManager {

		private final List<TransactionSynchronization> told = new ArrayList<>();

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return true;
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
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		}

		@Override
		protected void registerAfterCompletionWithExistingTransaction(Object transaction,
				List<TransactionSynchronization> synchronizations) {
			this.told.addAll(synchronizations);
		}

		void complete() {
			invokeAfterCompletion(List.copyOf(this.told), TransactionSynchronization.STATUS_COMMITTED);
			this.told.clear();
		}

	}

}
