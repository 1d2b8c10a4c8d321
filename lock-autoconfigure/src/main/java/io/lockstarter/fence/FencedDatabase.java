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
 * The database that has the last word.
 *
 * @param dataSource its connections, those of the transactions among them
 * @param transactionManager what commits them
 */
public record FencedDatabase(DataSource dataSource, ConfigurableTransactionManager transactionManager) {

	/** Uses a connection of its own, each statement of which is committed at once. */
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
	 * Returns the connection of the transaction in which the calling thread runs, or
	 * {@code null} if there is no transaction in this database.
	 */
	@Nullable Connection transactional() throws SQLException {
		if (!TransactionSynchronizationManager.isActualTransactionActive() || !(TransactionSynchronizationManager
			.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			return null;
		}
		Connection connection = holder.getConnection();
		return connection.getAutoCommit() ? null : connection;
	}

	/** Returns a failure of a database as an exception of Spring. */
	static DataAccessException translate(String task, String table, SQLException ex) {
		DataAccessException translated = new SQLExceptionSubclassTranslator().translate(task, "table " + table, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, "table " + table, ex);
	}

	/**
	 * What to do with a connection.
	 */
	@FunctionalInterface
	interface Work {

		void run(Connection connection) throws SQLException;

	}

}
