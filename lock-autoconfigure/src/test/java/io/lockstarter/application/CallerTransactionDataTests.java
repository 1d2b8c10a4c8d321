package io.lockstarter.application;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a caller has to know who calls a locked method within a transaction of its own:
 * the data that it reads may be older than the lock, and it has a connection while it
 * waits.
 */
class CallerTransactionDataTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withUserConfiguration(Database.class)
		.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.wait-time=20s",
				"distributed-lock.shutdown.drain-timeout=0");

	@Test
	void dataOfARepeatableReadIsOlderThanTheLock() {
		this.application.withPropertyValues("pool=3").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			TransactionTemplate transaction = transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ);
			transaction.executeWithoutResult((status) -> {
				assertThat(accounts.unlockedBalance()).isEqualTo(100);
				elsewhere(() -> accounts.pay(30)).join();
				assertThat(accounts.balance()).as("under the lock, in the older transaction").isEqualTo(100);
				assertThat(accounts.balanceInItsOwnTransaction()).as("in a transaction that is younger than the lock")
					.isEqualTo(70);
			});
			assertThat(accounts.balance()).as("without a transaction of the caller").isEqualTo(70);
		});
	}

	@Test
	void dataOfAReadCommittedIsNot() {
		this.application.withPropertyValues("pool=2").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			TransactionTemplate transaction = transaction(context, TransactionDefinition.ISOLATION_READ_COMMITTED);
			transaction.executeWithoutResult((status) -> {
				assertThat(accounts.unlockedBalance()).isEqualTo(100);
				elsewhere(() -> accounts.pay(30)).join();
				assertThat(accounts.balance()).isEqualTo(70);
			});
		});
	}

	@Test
	void callerHasAConnectionWhileItWaitsForAHolderThatNeedsOne() {
		this.application.withPropertyValues("pool=1", "distributed-lock.wait-time=1s").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			LockHandle holder = holder(context);
			CompletableFuture<Void> work = transaction(context, TransactionDefinition.ISOLATION_DEFAULT)
				.execute((status) -> {
					assertThat(accounts.unlockedBalance()).isEqualTo(100);
					CompletableFuture<Void> stalled = elsewhere(accounts::unlockedBalance);
					awaitStall(context);
					assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(accounts::balance);
					assertThat(stalled).as("the holder's work").isNotDone();
					return stalled;
				});
			assertThat(work).as("once the caller has given up").succeedsWithin(SOON);
			holder.close();
		});
	}

	@Test
	void callerWithoutATransactionHasNone() {
		this.application.withPropertyValues("pool=1").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			LockHandle holder = holder(context);
			CompletableFuture<Void> waiting = elsewhere(accounts::balanceInItsOwnTransaction);
			await().until(() -> context.getBean(LockMonitor.class).waitingCount() == 1);
			assertThat(elsewhere(accounts::unlockedBalance)).as("the holder's work").succeedsWithin(SOON);
			assertThat(waiting).isNotDone();
			holder.close();
			assertThat(waiting).succeedsWithin(SOON);
		});
	}

	/** Nobody keeps the lock for the caller: what was written is not yet seen. */
	@Test
	void lockInCodeIsReleasedBeforeTheCallersCommit() {
		this.application.withPropertyValues("pool=2").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			transaction(context).executeWithoutResult((status) -> {
				execute(registry, accounts::pay);
				assertThat(heldAndSeen(context)).isEqualTo("free, 100");
				NamedLock lock = registry.get(Accounts.LOCK);
				lock.lock();
				lock.unlock();
				assertThat(heldAndSeen(context)).isEqualTo("free, 100");
				CompletableFuture<String> later = registry.executeAsync(LockRequest.of(Accounts.LOCK),
						() -> CompletableFuture.completedFuture("done"));
				assertThat(later).succeedsWithin(SOON);
				assertThat(heldAndSeen(context)).isEqualTo("free, 100");
			});
			assertThat(heldAndSeen(context)).isEqualTo("free, 90");
		});
	}

	@Test
	void transactionWithinALockInCodeIsCommittedBeforeTheRelease() {
		this.application.withPropertyValues("pool=3").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			execute(registry, () -> {
				transaction(context).executeWithoutResult((status) -> accounts.pay());
				assertThat(heldAndSeen(context)).isEqualTo("held, 90");
			});
			assertThat(heldAndSeen(context)).isEqualTo("free, 90");
			transaction(context).executeWithoutResult((status) -> execute(registry, () -> {
				accounts.payInItsOwnTransaction();
				assertThat(heldAndSeen(context)).as("in spite of the caller's transaction").isEqualTo("held, 80");
			}));
		});
	}

	/** The lock is kept for the caller, although there is nothing left to commit. */
	@Test
	void lockedMethodWithATransactionOfItsOwnKeepsTheLockForTheCaller() {
		this.application.withPropertyValues("pool=3").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			transaction(context).executeWithoutResult((status) -> {
				accounts.lockedPayInItsOwnTransaction();
				assertThat(heldAndSeen(context)).isEqualTo("held, 90");
			});
			assertThat(heldAndSeen(context)).isEqualTo("free, 90");
		});
		this.application.withPropertyValues("pool=3", "distributed-lock.release-after-transaction=false")
			.run((context) -> {
				Accounts accounts = context.getBean(Accounts.class);
				transaction(context).executeWithoutResult((status) -> {
					accounts.lockedPayInItsOwnTransaction();
					assertThat(heldAndSeen(context)).isEqualTo("free, 90");
				});
			});
	}

	private static void execute(LockRegistry registry, Runnable work) {
		try {
			registry.execute(LockRequest.of(Accounts.LOCK), work::run);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What another thread finds: whether the lock is held, and the balance that it reads.
	 */
	private static String heldAndSeen(ApplicationContext context) {
		return CompletableFuture.supplyAsync(() -> {
			boolean held = !context.getBean(LockMonitor.class).inspect(Accounts.LOCK).join().holders().isEmpty();
			return (held ? "held, " : "free, ") + context.getBean(Accounts.class).unlockedBalance();
		}).join();
	}

	private static LockHandle holder(ApplicationContext context) throws InterruptedException {
		return context.getBean(LockRegistry.class)
			.acquire(LockRequest.of(Accounts.LOCK).owner(LockOwner.create("holder")));
	}

	private static void awaitStall(ApplicationContext context) {
		HikariDataSource pool = context.getBean(HikariDataSource.class);
		await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
	}

	private static TransactionTemplate transaction(ApplicationContext context) {
		return transaction(context, TransactionDefinition.ISOLATION_DEFAULT);
	}

	private static TransactionTemplate transaction(ApplicationContext context, int isolation) {
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		transaction.setIsolationLevel(isolation);
		return transaction;
	}

	private static CompletableFuture<Void> elsewhere(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start());
	}

	static class Accounts {

		static final String LOCK = "account";

		private final JdbcClient database;

		Accounts(JdbcClient database) {
			this.database = database;
		}

		int unlockedBalance() {
			return this.database.sql("select balance from account").query(Integer.class).single();
		}

		@DistributedLock(name = LOCK)
		int balance() {
			return unlockedBalance();
		}

		@DistributedLock(name = LOCK)
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		int balanceInItsOwnTransaction() {
			return unlockedBalance();
		}

		@DistributedLock(name = LOCK)
		@Transactional
		void pay(int amount) {
			this.database.sql("update account set balance = balance - ?").param(amount).update();
		}

		void pay() {
			this.database.sql("update account set balance = balance - 10").update();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void payInItsOwnTransaction() {
			pay();
		}

		@DistributedLock(name = LOCK)
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void lockedPayInItsOwnTransaction() {
			pay();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		HikariDataSource dataSource(@Value("${pool}") int pool) {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
			dataSource.setMaximumPoolSize(pool);
			return dataSource;
		}

		@Bean
		JdbcTransactionManager transactionManager(HikariDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Accounts accounts(HikariDataSource dataSource) {
			JdbcClient database = JdbcClient.create(dataSource);
			database.sql("create table account (balance int)").update();
			database.sql("insert into account values (100)").update();
			return new Accounts(database);
		}

	}

}
