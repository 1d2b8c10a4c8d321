package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes rows that nobody has touched in a while.
 */
final class RowCleaner {

	private static final int BATCH = 500;

	private final Connection connection;

	private final String table;

	RowCleaner(Connection connection, String table) {
		this.connection = connection;
		this.table = table;
	}

	/** Deletes those not touched since a time, some hundred to a transaction. */
	void clean(long before) throws SQLException {
		this.connection.setAutoCommit(false);
		List<String> batch;
		do {
			batch = find(before);
			delete(batch, before);
			this.connection.commit();
		}
		while (batch.size() == BATCH);
	}

	private List<String> find(long before) throws SQLException {
		List<String> rows = new ArrayList<>();
		try (PreparedStatement statement = this.connection
			.prepareStatement("SELECT name FROM " + this.table + " WHERE touched < ?")) {
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

	/** Deletes rows in the order of their names, as they are verified. */
	private void delete(List<String> rows, long before) throws SQLException {
		rows.sort(null);
		try (PreparedStatement statement = this.connection
			.prepareStatement("DELETE FROM " + this.table + " WHERE name = ? AND touched < ?")) {
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
