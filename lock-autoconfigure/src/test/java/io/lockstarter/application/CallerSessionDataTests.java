package io.lockstarter.application;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
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
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a caller has to know who calls a locked method with a JPA session open: the
 * session answers from what it has read before the lock, whatever the isolation level.
 */
class CallerSessionDataTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withUserConfiguration(Persistence.class)
		.withPropertyValues("distributed-lock.backend=in-memory");

	@Test
	void entityThatWasReadBeforeIsOlderThanTheLockUntilItIsRefreshed() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			session(context).executeWithoutResult((status) -> {
				assertThat(accounts.unlockedBalance()).isEqualTo(100);
				CompletableFuture.runAsync(() -> accounts.pay(30)).join();
				assertThat(accounts.balance()).as("under the lock, in the older session").isEqualTo(100);
				assertThat(accounts.refreshedBalance()).as("refreshed under the lock").isEqualTo(70);
			});
		});
	}

	@Test
	void entityOfASessionThatIsYoungerThanTheLockIsNot() {
		this.application.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			session(context).executeWithoutResult((status) -> assertThat(accounts.unlockedBalance()).isEqualTo(100));
			CompletableFuture.runAsync(() -> accounts.pay(30)).join();
			assertThat(accounts.balance()).isEqualTo(70);
		});
	}

	/** A transaction has one session from its beginning to its end. */
	private static TransactionTemplate session(ApplicationContext context) {
		TransactionTemplate session = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		session.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		return session;
	}

	static class Accounts {

		private final EntityManager entities;

		Accounts(EntityManager entities) {
			this.entities = entities;
		}

		int unlockedBalance() {
			return account().balance;
		}

		@DistributedLock(name = "account")
		int balance() {
			return account().balance;
		}

		@DistributedLock(name = "account")
		int refreshedBalance() {
			Account account = account();
			this.entities.refresh(account);
			return account.balance;
		}

		@DistributedLock(name = "account")
		@Transactional
		void pay(int amount) {
			account().balance -= amount;
		}

		private Account account() {
			return this.entities.find(Account.class, Account.ID);
		}

	}

	@Entity
	static class Account {

		static final int ID = 1;

		@Id
		int id = ID;

		int balance = 100;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Persistence {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory() {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory
				.setDataSource(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create-drop"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		Accounts accounts(EntityManagerFactory factory, PlatformTransactionManager transactions) {
			EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
			new TransactionTemplate(transactions).executeWithoutResult((status) -> entities.persist(new Account()));
			return new Accounts(entities);
		}

	}

}
