package io.lockstarter.application;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockMonitor;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a caller has to know who calls a locked method within a JPA session of its own: an
 * entity that the session has already is not read again, and may be older than the lock.
 */
class CallerSessionDataTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withUserConfiguration(Database.class)
		.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.wait-time=20s",
				"distributed-lock.shutdown.drain-timeout=0");

	@Test
	void entityOfTheCallersTransactionIsOlderThanTheLock() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			inATransaction(context, TransactionDefinition.ISOLATION_READ_COMMITTED, () -> {
				readThenPayElsewhere(accounts);
				assertThat(accounts.balance()).as("under the lock, in the older session").isEqualTo(100);
				assertThat(context.getBean(LockMonitor.class).heldCount()).as("until the commit").isOne();
			});
			assertThat(accounts.balance()).as("in a session that is younger than the lock").isEqualTo(70);
		});
	}

	@Test
	void whatIsWrittenFromAnOlderEntityUndoesTheOthersWork() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			inATransaction(context, TransactionDefinition.ISOLATION_READ_COMMITTED, () -> {
				readThenPayElsewhere(accounts);
				accounts.pay(20);
			});
			assertThat(accounts.balance()).isEqualTo(80);
		});
	}

	@Test
	void entityThatIsRefreshedUnderTheLockIsNot() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			inATransaction(context, TransactionDefinition.ISOLATION_READ_COMMITTED, () -> {
				readThenPayElsewhere(accounts);
				assertThat(accounts.refreshedBalance()).isEqualTo(70);
				accounts.pay(20);
			});
			assertThat(accounts.balance()).isEqualTo(50);
		});
	}

	@Test
	void refreshingDoesNotHelpInARepeatableRead() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			inATransaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> {
				readThenPayElsewhere(accounts);
				assertThat(accounts.refreshedBalance()).isEqualTo(100);
			});
		});
	}

	/** As with {@code spring.jpa.open-in-view}, which is on unless it is switched off. */
	@Test
	void lockOutsideOfTheTransactionIsNotEnoughInAnOpenSession() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			inASession(context, () -> {
				readThenPayElsewhere(accounts);
				assertThat(accounts.balance()).as("in a younger transaction, but the older session").isEqualTo(100);
				assertThat(accounts.refreshedBalance()).isEqualTo(70);
			});
		});
	}

	@Test
	void lockOutsideOfTheSessionIs() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			readThenPayElsewhere(accounts);
			accounts.pay(20);
			assertThat(accounts.balance()).isEqualTo(50);
		});
	}

	private static void readThenPayElsewhere(Accounts accounts) {
		assertThat(accounts.unlockedBalance()).isEqualTo(100);
		CompletableFuture.runAsync(() -> accounts.pay(30)).join();
	}

	private static void inATransaction(ApplicationContext context, int isolation, Runnable work) {
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		transaction.setIsolationLevel(isolation);
		transaction.executeWithoutResult((status) -> work.run());
	}

	private static void inASession(ApplicationContext context, Runnable work) {
		EntityManagerFactory sessions = context.getBean(EntityManagerFactory.class);
		try (EntityManager session = sessions.createEntityManager()) {
			TransactionSynchronizationManager.bindResource(sessions, new EntityManagerHolder(session));
			try {
				work.run();
			}
			finally {
				TransactionSynchronizationManager.unbindResource(sessions);
			}
		}
	}

	static class Accounts {

		private static final String LOCK = "account";

		private final EntityManager entityManager;

		Accounts(EntityManager entityManager) {
			this.entityManager = entityManager;
		}

		int unlockedBalance() {
			return account().balance;
		}

		@DistributedLock(name = LOCK)
		@Transactional
		int balance() {
			return account().balance;
		}

		@DistributedLock(name = LOCK)
		@Transactional
		int refreshedBalance() {
			Account account = account();
			this.entityManager.refresh(account);
			return account.balance;
		}

		@DistributedLock(name = LOCK)
		@Transactional
		void pay(int amount) {
			account().balance -= amount;
		}

		private Account account() {
			return this.entityManager.find(Account.class, Account.ID);
		}

	}

	@Entity
	static class Account {

		static final long ID = 1;

		@Id
		long id = ID;

		int balance = 100;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory() {
			HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
			hibernate.setGenerateDdl(true);
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setJpaVendorAdapter(hibernate);
			factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
			factory
				.setDataSource(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

		@Bean
		Accounts accounts(EntityManagerFactory entityManagerFactory, JpaTransactionManager transactionManager) {
			EntityManager entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
			new TransactionTemplate(transactionManager)
				.executeWithoutResult((status) -> entityManager.persist(new Account()));
			return new Accounts(entityManager);
		}

	}

}
