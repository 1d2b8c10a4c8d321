package io.lockstarter.fence;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.testing.PostgresFixture;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for fenced locks with JPA, which writes when the transaction is committed.
 */
class JpaFenceTests {

	private static final Runnable NOTHING = () -> {
	};

	private static void on(DataSource dataSource, ContextConsumer<AssertableApplicationContext> test) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
			.withBean(DataSource.class, () -> dataSource)
			.withUserConfiguration(Jpa.class)
			.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.fence.initialize-schema=always",
					"distributed-lock.shutdown.drain-timeout=0")
			.run(test);
	}

	private static DataSource h2() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000".formatted(UUID.randomUUID()));
		return database;
	}

	@Test
	void refusesWhatJpaWritesAtTheCommitOnH2() {
		on(h2(), JpaFenceTests::refusesWhatJpaWritesAtTheCommit);
	}

	@Test
	void refusesWhatJpaWritesAtTheCommitOnPostgres() {
		on(PostgresFixture.createDatabase(), JpaFenceTests::refusesWhatJpaWritesAtTheCommit);
	}

	private static void refusesWhatJpaWritesAtTheCommit(AssertableApplicationContext context) {
		Stock stock = context.getBean(Stock.class);
		stock.add(5, NOTHING);
		assertThat(stock.amount()).isEqualTo(5);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> stock.add(5, () -> {
			context.getBean(LockMonitor.class).forceRelease("stock");
			CompletableFuture.runAsync(() -> stock.add(10, NOTHING)).join();
		}));
		assertThat(stock.amount()).isEqualTo(15);
	}

	@Test
	void doesNotWaitForItselfInTransactionsThatBeginDuringTheCommitOnH2() {
		on(h2(), JpaFenceTests::doesNotWaitForItselfInTransactionsThatBeginDuringTheCommit);
	}

	@Test
	void doesNotWaitForItselfInTransactionsThatBeginDuringTheCommitOnPostgres() {
		on(PostgresFixture.createDatabase(), JpaFenceTests::doesNotWaitForItselfInTransactionsThatBeginDuringTheCommit);
	}

	private static void doesNotWaitForItselfInTransactionsThatBeginDuringTheCommit(
			AssertableApplicationContext context) {
		Stock stock = context.getBean(Stock.class);
		JpaTransactionManager manager = context.getBean(JpaTransactionManager.class);
		TransactionTemplate another = new TransactionTemplate(manager);
		another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		int[] audits = new int[1];
		ItemListener.beforeUpdate = () -> another.executeWithoutResult((status) -> audits[0]++);
		try {
			stock.add(5, NOTHING);
		}
		finally {
			ItemListener.beforeUpdate = NOTHING;
		}
		assertThat(audits).containsExactly(1);
		assertThat(stock.amount()).isEqualTo(5);
	}

	@Test
	void rollsBackWhatCannotBeVerified() {
		on(h2(), (context) -> {
			Stock stock = context.getBean(Stock.class);
			// Tells nobody the connection of its transactions
			context.getBean(JpaTransactionManager.class).setJpaDialect(new DefaultJpaDialect());
			assertThatIllegalStateException().isThrownBy(() -> stock.add(5, NOTHING))
				.withMessageContaining("no JDBC connection");
			assertThat(stock.amount()).isZero();
		});
	}

	static class Stock {

		private final EntityManager entityManager;

		Stock(EntityManager entityManager) {
			this.entityManager = entityManager;
		}

		@DistributedLock(name = "stock", fenced = true)
		@Transactional
		void add(int amount, Runnable meanwhile) {
			Item item = item();
			meanwhile.run();
			item.amount += amount;
		}

		@Transactional(readOnly = true)
		int amount() {
			return item().amount;
		}

		private Item item() {
			return this.entityManager.find(Item.class, Item.ID);
		}

	}

	@Entity
	@EntityListeners(ItemListener.class)
	static class Item {

		static final long ID = 1;

		@Id
		long id = ID;

		int amount;

	}

	/**
	 * Does something while JPA writes.
	 */
	public static class ItemListener {

		static Runnable beforeUpdate = NOTHING;

		@PreUpdate
		public void beforeUpdate(Object item) {
			beforeUpdate.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
			hibernate.setGenerateDdl(true);
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setJpaVendorAdapter(hibernate);
			factory.setManagedTypes(PersistenceManagedTypes.of(Item.class.getName()));
			factory.setDataSource(dataSource);
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

		@Bean
		Stock stock(EntityManagerFactory entityManagerFactory, JpaTransactionManager transactionManager) {
			EntityManager entityManager = SharedEntityManagerCreator.createSharedEntityManager(entityManagerFactory);
			new TransactionTemplate(transactionManager)
				.executeWithoutResult((status) -> entityManager.persist(new Item()));
			return new Stock(entityManager);
		}

	}

}
