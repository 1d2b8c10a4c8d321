package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Database that verifies fencing tokens.
 *
 * @param dataSource its connections, including those of transactions
 * @param transactionManager the manager of its transactions
 */
public record FencedDatabase(DataSource dataSource, ConfigurableTransactionManager transactionManager) {

	/** Runs work on a separate connection in auto-commit mode. */
	void autoCommitted(Work work) throws SQLException {
		try (Connection connection = this.dataSource.getConnection()) {
			boolean autoCommit = connection.getAutoCommit();
			if (!autoCommit) {
				connection.setAutoCommit(true);
			}
			try {
				work.run(connection);
			}
			finally {
				if (connection.getAutoCommit() != autoCommit) {
					connection.setAutoCommit(autoCommit);
				}
			}
		}
	}

	/**
	 * Returns the connection of the calling thread's transaction, or {@code null} if the
	 * thread has no transaction in this database.
	 */
	@Nullable Connection transactional() throws SQLException {
		if (!TransactionSynchronizationManager.isActualTransactionActive() || !(TransactionSynchronizationManager
			.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			return null;
		}
		Connection connection = holder.getConnection();
		return connection.getAutoCommit() ? null : connection;
	}

	/** Translates a failure of the database into an exception of Spring. */
	static DataAccessException translate(String task, String table, SQLException ex) {
		DataAccessException translated = new SQLExceptionSubclassTranslator().translate(task, "table " + table, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, "table " + table, ex);
	}

	/**
	 * Work on a connection.
	 */
	@FunctionalInterface
	interface Work {

		void run(Connection connection) throws SQLException;

	}

}
