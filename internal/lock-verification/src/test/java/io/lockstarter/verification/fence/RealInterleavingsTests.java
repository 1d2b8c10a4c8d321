package io.lockstarter.verification.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

import javax.sql.DataSource;

import io.lockstarter.testing.PostgresFixture;
import io.lockstarter.testing.StressSummary;
import io.lockstarter.verification.fence.FenceModel.Isolation;
import io.lockstarter.verification.fence.RealInterleavings.Waiting;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of all orders of the steps of two fenced transactions in real databases.
 */
@Timeout(120)
class RealInterleavingsTests {

	/** Number of orders of two times six steps if no step has to wait. */
	private static final int LIMIT = 924;

	private static final Waiting POSTGRES = Waiting
		.by("SELECT pid FROM pg_stat_activity WHERE pid IN (?, ?) AND cardinality(pg_blocking_pids(pid)) > 0");

	private static final Waiting H2 = Waiting
		.by("SELECT SESSION_ID FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID IN (?, ?) AND BLOCKER_ID IS NOT NULL");

	/**
	 * Returns whether a session waits in H2, which fails with a NullPointerException if a
	 * transaction ends during the query.
	 */
	private static boolean isWaitingInH2(Connection connection, int one, int other) throws SQLException {
		try {
			return H2.among(connection, one, other);
		}
		catch (SQLException ex) {
			if (ex.getErrorCode() == ErrorCode.GENERAL_ERROR_1) {
				return false;
			}
			throw ex;
		}
	}

	@Test
	void databaseAgreesWithModelInH2() throws SQLException {
		tryAll(h2(), Connection.TRANSACTION_READ_COMMITTED, Isolation.READ_COMMITTED);
	}

	@Tag("stress")
	@Test
	void databaseAgreesWithModelInPostgres() throws SQLException {
		tryAll(PostgresFixture.createDatabase(), Connection.TRANSACTION_READ_COMMITTED, Isolation.READ_COMMITTED);
	}

	@Tag("stress")
	@Test
	void databaseAgreesWithModelInPostgresWithMoreIsolation() throws SQLException {
		tryAll(PostgresFixture.createDatabase(), Connection.TRANSACTION_REPEATABLE_READ, Isolation.SNAPSHOT);
	}

	@Tag("stress")
	@Test
	void databaseAgreesWithModelInH2WithMoreIsolation() throws SQLException {
		tryAll(h2(), Connection.TRANSACTION_REPEATABLE_READ, Isolation.SNAPSHOT);
	}

	private static void tryAll(DataSource database, int level, Isolation isolation) throws SQLException {
		RealInterleavings.SCHEMA.forEach((sql) -> JdbcClient.create(database).sql(sql).update());
		boolean postgres = !(database instanceof JdbcDataSource);
		String session = postgres ? "SELECT pg_backend_pid()" : "SELECT SESSION_ID()";
		Waiting waiting = postgres ? POSTGRES : RealInterleavingsTests::isWaitingInH2;
		try (RealInterleavings orders = new RealInterleavings(database, level, isolation, session, waiting)) {
			int different = orders.tryAll(1, 2);
			int equal = orders.tryAll(1, 1);
			assertThat(different).isBetween(LIMIT / 10, LIMIT);
			// The second is refused before its transaction begins
			assertThat(equal).isBetween(2, LIMIT / 10);
			StressSummary.STATES_SEARCHED.add(different + equal);
		}
	}

	private static DataSource h2() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
		return database;
	}

}
