package io.lockstarter.fence;

import java.util.UUID;

import javax.sql.DataSource;

import io.lockstarter.fence.FencedApplication.Accounts;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

import static io.lockstarter.fence.FencedApplication.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for fenced locks on H2.
 */
class H2FenceTests extends FenceContract {

	@Override
	DataSource createDatabase() {
		return database("");
	}

	@Test
	void refusesTransactionThatReadsUncommittedByDefault() {
		DataSource database = database(
				";INIT=SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
		JdbcClient jdbc = JdbcClient.create(database);
		jdbc.sql("CREATE TABLE account (id INT PRIMARY KEY, n BIGINT NOT NULL)").update();
		jdbc.sql("INSERT INTO account VALUES (1, 0)").update();
		try (ConfigurableApplicationContext context = FencedApplication.start(database)) {
			Accounts accounts = context.getBean(Accounts.class);
			for (int attempt = 0; attempt < 2; attempt++) {
				assertThatIllegalStateException().isThrownBy(() -> accounts.add(1, 5, NOTHING))
					.withMessageContaining("READ_UNCOMMITTED");
			}
			assertThat(accounts.read(1)).isZero();
		}
	}

	private static DataSource database(String options) {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000%s".formatted(UUID.randomUUID(), options));
		return database;
	}

}
