package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Deletion of rows that have not been touched for the retention time, by one instance at
 * a time.
 */
final class RowCleaner {

	private static final LockLog logger = LockLog.of(RowCleaner.class);

	/** Metric name of the lock. */
	private static final String GROUP = "lock-fence";

	/** Maximum time between two deletions: 1 h. */
	private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

	/** Number of rows that are deleted in one transaction. */
	private static final int BATCH = 500;

	private final Fence fence;

	private final Duration retention;

	private final Supplier<@Nullable LockRegistry> registries;

	RowCleaner(Fence fence, Duration retention, Supplier<@Nullable LockRegistry> registries) {
		this.fence = fence;
		this.retention = retention;
		this.registries = registries;
	}

	void schedule(ScheduledExecutorService executor, FencedDatabase database) {
		Duration share = this.retention.dividedBy(24);
		long pause = ((share.compareTo(LONGEST_PAUSE) < 0) ? share : LONGEST_PAUSE).toMillis();
		executor.scheduleWithFixedDelay(() -> cleanLater(database), pause, pause, TimeUnit.MILLISECONDS);
	}

	private void cleanLater(FencedDatabase database) {
		try {
			clean(database);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			logger.warn(
					"Old rows of table %s could not be deleted; the deletion is retried".formatted(this.fence.table()),
					ex);
		}
	}

	/** Deletes old rows, unless another instance is doing so. */
	void clean(FencedDatabase database) throws SQLException, InterruptedException {
		this.fence.forgetOlderThan(this.retention);
		LockRegistry registry = this.registries.get();
		if (registry == null) {
			return;
		}
		LockRequest request = LockRequest.of(this.fence.table() + ".clean").metricName(GROUP).waitTime(Duration.ZERO);
		try (LockHandle lock = registry.tryAcquire(request).orElse(null)) {
			if (lock != null) {
				database.autoCommitted(
						(connection) -> clean(connection, System.currentTimeMillis() - this.retention.toMillis()));
			}
		}
	}

	private void clean(Connection connection, long before) throws SQLException {
		connection.setAutoCommit(false);
		List<String> batch;
		do {
			batch = find(connection, before);
			delete(connection, batch, before);
			connection.commit();
		}
		while (batch.size() == BATCH);
	}

	private List<String> find(Connection connection, long before) throws SQLException {
		List<String> rows = new ArrayList<>();
		try (PreparedStatement statement = connection
			.prepareStatement("SELECT name FROM " + this.fence.table() + " WHERE touched < ?")) {
			statement.setMaxRows(BATCH);
			statement.setLong(1, before);
			try (ResultSet result = statement.executeQuery()) {
				while (result.next()) {
					rows.add(result.getString(1));
				}
			}
		}
		return rows;
	}

	/**
	 * Deletes rows in the order of their names, which is also the order of verification.
	 */
	private void delete(Connection connection, List<String> rows, long before) throws SQLException {
		rows.sort(null);
		try (PreparedStatement statement = connection
			.prepareStatement("DELETE FROM " + this.fence.table() + " WHERE name = ? AND touched < ?")) {
			for (String row : rows) {
				statement.setString(1, row);
				statement.setLong(2, before);
				statement.addBatch();
			}
			if (!rows.isEmpty()) {
				statement.executeBatch();
			}
		}
	}

}
