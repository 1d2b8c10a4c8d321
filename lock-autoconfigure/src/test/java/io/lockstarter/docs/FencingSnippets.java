package io.lockstarter.docs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.fence.Fence;

import org.springframework.transaction.annotation.Transactional;

/**
 * The code that docs/fencing.md shows.
 */
class FencingSnippets {

	private final LockRegistry registry;

	private final DataSource dataSource;

	private final Fence fence = new Fence();

	FencingSnippets(LockRegistry registry, DataSource dataSource) {
		this.registry = registry;
		this.dataSource = dataSource;
	}

	void ship(String id) throws SQLException, InterruptedException {
		try (LockHandle lock = this.registry.acquire(LockRequest.of("order:" + id).metricName("order"));
				Connection connection = this.dataSource.getConnection()) {
			this.fence.register(connection, lock);
			connection.setAutoCommit(false);
			try {
				update(connection, id);
				this.fence.verify(connection, lock);
				connection.commit();
			}
			catch (SQLException | RuntimeException ex) {
				connection.rollback();
				throw ex;
			}
			finally {
				connection.setAutoCommit(true);
			}
		}
	}

	private static void update(Connection connection, String id) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("INSERT INTO shipped VALUES (?)")) {
			statement.setString(1, id);
			statement.executeUpdate();
		}
	}

	static void execute(LockRegistry registry, Orders orders) throws InterruptedException {
		registry.execute(LockRequest.of("order:42").metricName("order").fenced(), () -> orders.ship(42));
	}

	static class Orders {

		// @formatter:off
		@Transactional
		@DistributedLock(key = "#id", fenced = true)
		public void ship(long id) { /* … */ }
		// @formatter:on

	}

}
