package io.lockstarter.verification.fence;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lockstarter.autoconfigure.LockAutoConfiguration;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Application with a {@link Bank}.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, DataRedisAutoConfiguration.class,
		LockAutoConfiguration.class })
class BankApplication {

	/**
	 * Size of the connection pool. A call uses up to two connections: its own, and one
	 * for the registration.
	 */
	private static final int CONNECTIONS = 16;

	@Bean
	Bank bank(JdbcClient jdbc, TransactionTemplate transaction) {
		return new Bank(jdbc, transaction);
	}

	/**
	 * Starts an instance.
	 * @param isolation the isolation of transactions, as the pool names it
	 */
	static ConfigurableApplicationContext start(DataSource database, String isolation, int redis,
			String... properties) {
		HikariDataSource pool = new HikariDataSource();
		pool.setDataSource(database);
		pool.setMaximumPoolSize(CONNECTIONS);
		pool.setTransactionIsolation(isolation);
		return new SpringApplicationBuilder(BankApplication.class)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("dataSource",
					HikariDataSource.class, () -> pool))
			.properties("distributed-lock.fence.initialize-schema=always", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis, "spring.main.web-application-type=none",
					"spring.main.banner-mode=off")
			.properties(properties)
			.run();
	}

}
