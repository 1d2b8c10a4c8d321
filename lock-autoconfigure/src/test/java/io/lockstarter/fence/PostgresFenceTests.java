package io.lockstarter.fence;

import javax.sql.DataSource;

import io.lockstarter.testing.PostgresFixture;

/**
 * Tests for fenced locks on PostgreSQL.
 */
class PostgresFenceTests extends FenceContract {

	@Override
	DataSource createDatabase() {
		return PostgresFixture.createDatabase();
	}

}
