package io.lockstarter.fence;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockObservationAutoConfiguration;
import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application that adds to accounts, by reading and writing back, under fenced locks.
 */
@Configuration(proxyBeanMethods = false)
@EnableResilientMethods
@ImportAutoConfiguration({ DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, LockAutoConfiguration.class,
		LockObservationAutoConfiguration.class })
class FencedApplication {

	static final Runnable NOTHING = () -> {
	};

	static ConfigurableApplicationContext start(DataSource dataSource, String... properties) {
		return new SpringApplicationBuilder(FencedApplication.class, Accounts.class, Refusals.class)
			.initializers((context) -> context.getBeanFactory().registerSingleton("dataSource", dataSource))
			.properties("distributed-lock.backend=in-memory", "distributed-lock.fence.initialize-schema=always",
					"spring.main.web-application-type=none", "spring.main.banner-mode=off")
			.properties(properties)
			.run();
	}

	@Bean
	SimpleMeterRegistry meters() {
		return new SimpleMeterRegistry();
	}

	/**
	 * Hears of refusals.
	 */
	@Component
	static class Refusals {

		final List<FenceRefusal> all = new CopyOnWriteArrayList<>();

		@EventListener
		void on(FenceRefusal refusal) {
			this.all.add(refusal);
		}

	}

	/**
	 * Reads and writes back, with something in between.
	 */
	@Component
	static class Accounts {

		private final JdbcClient jdbc;

		private final TransactionTemplate transaction;

		private final LockMonitor locks;

		Accounts(JdbcClient jdbc, TransactionTemplate transaction, LockMonitor locks) {
			this.jdbc = jdbc;
			this.transaction = transaction;
			this.locks = locks;
		}

		/** Takes the lock away, and lets somebody else add 10 under it. */
		Runnable overtaken(Accounts proxy, int id) {
			return () -> {
				this.locks.forceRelease("account:" + id);
				CompletableFuture.runAsync(() -> proxy.add(id, 10, NOTHING)).join();
			};
		}

		/**
		 * Does what another instance does that has got the lock, of which this one has
		 * not heard yet.
		 */
		Runnable overtakenUnnoticed(int id) {
			return () -> CompletableFuture.runAsync(() -> inTransaction(() -> {
				this.jdbc.sql("UPDATE lock_fence SET token = token + 1 WHERE name = ?").param("account:" + id).update();
				readAndWrite(id, 10, NOTHING);
			})).join();
		}

		@Transactional
		@DistributedLock(name = "account", key = "#id", fenced = true)
		public void add(int id, long amount, Runnable meanwhile) {
			readAndWrite(id, amount, meanwhile);
		}

		@Transactional
		@DistributedLock(name = "account", key = "#id")
		public void addUnfenced(int id, long amount, Runnable meanwhile) {
			readAndWrite(id, amount, meanwhile);
		}

		@Transactional(isolation = Isolation.REPEATABLE_READ)
		@DistributedLock(name = "account", key = "#from", fenced = true)
		public void copyRepeatably(int from, int to, Runnable meanwhile) {
			copy(from, to, meanwhile);
		}

		@Transactional(isolation = Isolation.SERIALIZABLE)
		@DistributedLock(name = "account", key = "#from", fenced = true)
		public void copySerializably(int from, int to, Runnable meanwhile) {
			copy(from, to, meanwhile);
		}

		private void copy(int from, int to, Runnable meanwhile) {
			long n = read(from);
			meanwhile.run();
			write(to, n + 1);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "account", key = "#id", fenced = true)
		public void addAnew(int id, long amount, Runnable meanwhile) {
			readAndWrite(id, amount, meanwhile);
		}

		@Retryable(delay = 1)
		@Transactional
		@DistributedLock(name = "account", key = "#id", fenced = true)
		public void addAgain(int id, long amount, Runnable meanwhile) {
			readAndWrite(id, amount, meanwhile);
		}

		@Transactional
		@DistributedLock(name = "account", key = "{#from, #to}", fenced = true)
		public void transfer(int from, int to, long amount, Runnable meanwhile) {
			long there = read(to);
			readAndWrite(from, -amount, meanwhile);
			write(to, there + amount);
		}

		@DistributedLock(name = "account", key = "#id", fenced = true)
		public void run(int id, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#id")
		public void runUnfenced(int id, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "alone", key = "#id", fenced = true)
		public void runAlone(int id, Runnable work) {
			work.run();
		}

		@Transactional(readOnly = true)
		@DistributedLock(name = "account", key = "#id", fenced = true)
		public long look(int id, Runnable meanwhile) {
			meanwhile.run();
			return read(id);
		}

		/** With the isolation in which a fenced method may be called. */
		void inTransaction(Runnable work) {
			inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.ISOLATION_READ_COMMITTED,
					work);
		}

		void inTransaction(int propagation, int isolation, Runnable work) {
			TransactionTemplate other = new TransactionTemplate(this.transaction.getTransactionManager());
			other.setPropagationBehavior(propagation);
			other.setIsolationLevel(isolation);
			other.executeWithoutResult((status) -> work.run());
		}

		void readAndWrite(int id, long amount, Runnable meanwhile) {
			long before = read(id);
			meanwhile.run();
			write(id, before + amount);
		}

		long read(int id) {
			return this.jdbc.sql("SELECT n FROM account WHERE id = ?").param(id).query(Long.class).single();
		}

		void write(int id, long n) {
			this.jdbc.sql("UPDATE account SET n = ? WHERE id = ?").params(n, id).update();
		}

	}

}
