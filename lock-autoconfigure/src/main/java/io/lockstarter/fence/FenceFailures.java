package io.lockstarter.fence;

import java.sql.SQLException;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;

/**
 * Failures of the database as exceptions of Spring.
 */
final class FenceFailures {

	private FenceFailures() {
	}

	static DataAccessException translate(String task, String table, SQLException ex) {
		DataAccessException translated = new SQLExceptionSubclassTranslator().translate(task, "table " + table, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, "table " + table, ex);
	}

	/** Whether there is no such table or column, or none that may be read. */
	static boolean isMissing(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && (state.startsWith("42") || state.equals("S0002"));
	}

}
