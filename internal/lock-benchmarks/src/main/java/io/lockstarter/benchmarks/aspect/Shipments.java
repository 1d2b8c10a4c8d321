package io.lockstarter.benchmarks.aspect;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LockAutoConfiguration;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/**
 * Work in a database with one transaction for each call, with or without a lock in Redis.
 */
public class Shipments {

	private static final int ORDERS = 64;

	private final JdbcClient jdbc;

	Shipments(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Starts an application with a table of orders.
	 * @param database the database
	 * @param redis the port of a Redis on this host
	 * @return the application
	 */
	public static ConfigurableApplicationContext start(DataSource database, int redis) {
		HikariDataSource pool = new HikariDataSource();
		pool.setDataSource(database);
		JdbcClient.create(pool).sql("CREATE TABLE orders (id INT PRIMARY KEY, shipped BIGINT NOT NULL)").update();
		for (int id = 0; id < ORDERS; id++) {
			JdbcClient.create(pool).sql("INSERT INTO orders VALUES (?, 0)").param(id).update();
		}
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.initializers((context) -> context.getBeanFactory().registerSingleton("dataSource", pool))
			.properties("distributed-lock.fence.initialize-schema=always", "spring.data.redis.port=" + redis)
			.run();
	}

	/**
	 * Ships an order.
	 * @param id the order
	 */
	@Transactional
	public void ship(long id) {
		long shipped = this.jdbc.sql("SELECT shipped FROM orders WHERE id = ?").param(id).query(Long.class).single();
		this.jdbc.sql("UPDATE orders SET shipped = ? WHERE id = ?").params(shipped + 1, id).update();
	}

	/**
	 * Ships an order under its lock.
	 * @param id the order
	 */
	@Transactional
	@DistributedLock(name = "order", key = "#id")
	public void shipLocked(long id) {
		ship(id);
	}

	/**
	 * Ships an order under its fenced lock.
	 * @param id the order
	 */
	@Transactional
	@DistributedLock(name = "order", key = "#id", fenced = true)
	public void shipFenced(long id) {
		ship(id);
	}

	/**
	 * Protection of an order that is shipped.
	 */
	public enum Way {

		/** Without a lock. */
		UNLOCKED("transaction alone"),
		/** Under a lock. */
		LOCKED("locked"),
		/** Under a fenced lock. */
		FENCED("locked and fenced");

		private final String title;

		Way(String title) {
			this.title = title;
		}

		/**
		 * Returns the call that ships an order with this protection.
		 * @param shipments the service
		 * @return the call, whose argument is any number
		 */
		public LongConsumer call(Shipments shipments) {
			LongConsumer call = switch (this) {
				case UNLOCKED -> shipments::ship;
				case LOCKED -> shipments::shipLocked;
				case FENCED -> shipments::shipFenced;
			};
			return (number) -> call.accept(number % ORDERS);
		}

		/**
		 * Returns all values.
		 * @return the values
		 */
		public static List<Way> all() {
			return Arrays.asList(values());
		}

		@Override
		public String toString() {
			return this.title;
		}

	}

	/**
	 * Application with a database.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class })
	@Import(Shipments.class)
	static class Application {

	}

}
