package io.lockstarter.fence;

import java.util.UUID;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcDataSource;

/**
 * Tests for fenced locks on H2.
 */
class H2FenceTests extends FenceContract {

	@Override
	DataSource createDatabase() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000".formatted(UUID.randomUUID()));
		return database;
	}

}
