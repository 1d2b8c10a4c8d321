package io.lockstarter.fence;

import javax.sql.DataSource;

import io.lockstarter.testing.MariaDbFixture;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;

/**
 * Tests for fenced locks on MariaDB.
 */
@Needs(Tool.MARIADB)
class MariaDbFenceTests extends FenceContract {

	@Override
	DataSource createDatabase() {
		return MariaDbFixture.createDatabase();
	}

}
