package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.StaleTokenException;
import org.jspecify.annotations.Nullable;

/**
 * Fencing tokens in a database table, which let a transaction commit only if no other
 * owner has acquired the lock since. For code that does not use Spring's transactions:
 *
 * <pre class="code">
 * try (LockHandle lock = registry.acquire(LockRequest.of("order:42"));
 *         Connection connection = dataSource.getConnection()) {
 *     fence.register(connection, lock);   // before the transaction begins
 *     connection.setAutoCommit(false);
 *     …
 *     fence.verify(connection, lock);     // the last step before the commit
 *     connection.commit();
 * }
 * </pre>
 *
 * Consider two holders with tokens 1 and 2. If the second registers before the first
 * verifies, the first finds token 2 and is refused. If the first verifies before the
 * second registers, the first locks the row until its commit. The registration waits for
 * that commit, and everything that the second holder reads afterwards includes what the
 * first has committed. Committed transactions are therefore equivalent to a serial
 * execution in the order of their tokens, regardless of Redis, clocks and pauses. The row
 * is locked only between verification and commit. Writes after the verification, such as
 * those of a JPA flush during the commit, are protected as well, because the row is
 * locked until the commit.
 * <p>
 * Several locks are registered and verified in the order of their names, so that
 * transactions cannot deadlock. Thread-safe. Use one instance per table.
 */
public final class Fence {

	/** Default name of the table. */
	public static final String DEFAULT_TABLE = "lock_fence";

	private static final Pattern TABLE = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*){0,2}");

	/**
	 * Maximum number of attempts of a registration that concurrent transactions disturb.
	 */
	private static final int ATTEMPTS = 20;

	private final String table;

	private final Registrations registrations = new Registrations();

	/**
	 * Creates a fence with the table {@value #DEFAULT_TABLE}.
	 */
	public Fence() {
		this(DEFAULT_TABLE);
	}

	/**
	 * Creates a fence with another table.
	 * @param table the name, which may be qualified by a catalog and a schema
	 * @throws IllegalArgumentException if the name is not a plain identifier
	 */
	public Fence(String table) {
		if (!isTable(table)) {
			throw new IllegalArgumentException("The table's name must be a plain identifier but is '" + table + "'");
		}
		this.table = table;
	}

	/**
	 * Returns whether a text is a valid name of the table.
	 * @param table the text
	 * @return {@code true} for an identifier of letters, digits and underscores,
	 * optionally qualified by up to two others
	 */
	public static boolean isTable(String table) {
		return TABLE.matcher(table).matches();
	}

	/**
	 * Returns the name of the table.
	 * @return the name
	 */
	public String table() {
		return this.table;
	}

	/**
	 * Registers the fencing token of a lock that was just acquired, or those of several
	 * locks that were acquired together. Does nothing if this hold has already registered
	 * the token, as when its owner re-enters.
	 * @param connection a connection in auto-commit mode, so that the next holder sees
	 * the token at once
	 * @param lock the hold
	 * @throws StaleTokenException if the table contains a token that is not lower
	 * @throws SQLException if the database failed
	 */
	public void register(Connection connection, LockHandle lock) throws SQLException {
		if (!connection.getAutoCommit()) {
			throw new IllegalStateException("The token of " + describe(lock)
					+ " must be registered by a connection in auto-commit mode, before the transaction begins");
		}
		for (Map.Entry<RowToken, LockHandle> entry : tokens(List.of(lock)).entrySet()) {
			String row = entry.getKey().row();
			LockHandle part = entry.getValue();
			if (!this.registrations.contains(row, part)) {
				register(connection, row, part);
				this.registrations.add(row, part);
			}
		}
	}

	/** Returns whether a hold has already registered its token. */
	boolean isRegistered(LockHandle lock) {
		return lock.parts().stream().allMatch((part) -> this.registrations.contains(RowNames.of(part), part));
	}

	/**
	 * Verifies that the fencing token of a lock is still the latest, and blocks
	 * registrations by other holders until the transaction ends. Rolls the transaction
	 * back if the token is not the latest.
	 * @param connection the connection of the transaction
	 * @param lock the hold, which may consist of several locks that were acquired
	 * together
	 * @throws StaleTokenException if the table contains another token, or none
	 * @throws SQLException if the database failed, in which case the transaction was
	 * rolled back as well
	 */
	public void verify(Connection connection, LockHandle lock) throws SQLException {
		if (connection.getAutoCommit()) {
			throw new IllegalStateException("The token of " + describe(lock)
					+ " must be verified in the transaction, but its connection is in auto-commit mode");
		}
		verify(connection, tokens(List.of(lock)));
	}

	/** Verifies tokens in their order. */
	void verify(Connection connection, SortedMap<RowToken, LockHandle> tokens) throws SQLException {
		for (Map.Entry<RowToken, LockHandle> entry : tokens.entrySet()) {
			verify(connection, entry.getKey().row(), entry.getValue());
		}
	}

	/** Returns the tokens of holds. Several of them may belong to the same lock. */
	static SortedMap<RowToken, LockHandle> tokens(Collection<LockHandle> locks) {
		SortedMap<RowToken, LockHandle> tokens = new TreeMap<>();
		for (LockHandle lock : locks) {
			for (LockHandle part : lock.parts()) {
				tokens.put(new RowToken(RowNames.of(part), part.fencingToken()), part);
			}
		}
		return tokens;
	}

	private void register(Connection connection, String row, LockHandle lock) throws SQLException {
		for (int attempt = 1;; attempt++) {
			try {
				if (raise(connection, row, lock.fencingToken()) || insert(connection, row, lock.fencingToken())) {
					return;
				}
			}
			catch (SQLException ex) {
				if (!isTransient(ex) || attempt == ATTEMPTS) {
					throw ex;
				}
			}
			Long registered = find(connection, row);
			if (registered != null && registered >= lock.fencingToken()) {
				throw refusal(row, lock, registered, FenceRefusal.Stage.REGISTRATION, null);
			}
			if (attempt == ATTEMPTS) {
				throw new SQLException("Row '%s' of table %s is repeatedly inserted and deleted by other transactions"
					.formatted(row, this.table));
			}
		}
	}

	/**
	 * Returns whether a concurrent transaction caused the failure, so that the statement
	 * may succeed when it is repeated.
	 */
	private static boolean isTransient(SQLException ex) {
		return ex.getSQLState() != null && ex.getSQLState().startsWith("40");
	}

	private boolean raise(Connection connection, String row, long token) throws SQLException {
		String sql = "UPDATE " + this.table + " SET token = ?, touched = ? WHERE name = ? AND token < ?";
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setLong(1, token);
			statement.setLong(2, System.currentTimeMillis());
			statement.setString(3, row);
			statement.setLong(4, token);
			return statement.executeUpdate() == 1;
		}
	}

	/** Inserts a row, or returns {@code false} if a row of that name exists. */
	private boolean insert(Connection connection, String row, long token) throws SQLException {
		String sql = "INSERT INTO " + this.table + " (name, token, touched) VALUES (?, ?, ?)";
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, row);
			statement.setLong(2, token);
			statement.setLong(3, System.currentTimeMillis());
			statement.executeUpdate();
			return true;
		}
		catch (SQLException ex) {
			if (ex.getSQLState() != null && ex.getSQLState().startsWith("23")) {
				return false;
			}
			throw ex;
		}
	}

	private void verify(Connection connection, String row, LockHandle lock) throws SQLException {
		SQLException failure = null;
		try {
			if (touch(connection, row, lock.fencingToken())) {
				return;
			}
		}
		catch (SQLException ex) {
			failure = ex;
		}
		Long registered;
		try {
			// The snapshot of the transaction may be older than the token of another
			// holder, and after a failed statement the transaction may be unable to read.
			connection.rollback();
			registered = find(connection, row);
		}
		catch (SQLException ex) {
			if (failure == null) {
				throw refusal(row, lock, null, FenceRefusal.Stage.COMMIT, ex);
			}
			failure.addSuppressed(ex);
			throw failure;
		}
		if (failure != null && registered != null && registered == lock.fencingToken()) {
			throw failure;
		}
		throw refusal(row, lock, registered, FenceRefusal.Stage.COMMIT, failure);
	}

	/**
	 * Locks a row, and prevents its deletion as an old one. The value always changes,
	 * because some drivers count only rows that are modified.
	 */
	private boolean touch(Connection connection, String row, long token) throws SQLException {
		String sql = "UPDATE " + this.table + " SET touched = CASE WHEN touched < ? THEN ? ELSE touched + 1 END"
				+ " WHERE name = ? AND token = ?";
		long now = System.currentTimeMillis();
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setLong(1, now);
			statement.setLong(2, now);
			statement.setString(3, row);
			statement.setLong(4, token);
			return statement.executeUpdate() == 1;
		}
	}

	private @Nullable Long find(Connection connection, String row) throws SQLException {
		try (PreparedStatement statement = connection
			.prepareStatement("SELECT token FROM " + this.table + " WHERE name = ?")) {
			statement.setString(1, row);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? rows.getLong(1) : null;
			}
		}
	}

	/** Checks that the table exists and has the required columns. */
	void requireTable(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection
			.prepareStatement("SELECT name, token, touched FROM " + this.table + " WHERE 1 = 0")) {
			statement.executeQuery().close();
		}
	}

	/**
	 * Removes old registrations, because owners that still exist may have used any number
	 * of locks.
	 */
	void forgetOlderThan(Duration age) {
		this.registrations.forgetOlderThan(age);
	}

	private StaleTokenException refusal(String row, LockHandle lock, @Nullable Long registered,
			FenceRefusal.Stage stage, @Nullable SQLException cause) {
		Instant now = Instant.now();
		FenceRefusal refusal = new FenceRefusal(lock.name(), lock.metricName(), lock.type(), lock.owner(),
				lock.registry(), lock.fencingToken(), registered, stage, now);
		LockLoss loss = new LockLoss(lock.name(), lock.metricName(), lock.type(), lock.owner(), lock.fencingToken(),
				LockLoss.Reason.NOT_OWNED, now, this.registrations.age(row, lock), lock.registry());
		return new StaleTokenException(loss, refusal, explain(refusal, describe(lock), row), cause);
	}

	private String explain(FenceRefusal refusal, String lock, String row) {
		String tokens = "the token %s of %s, because table %s has %s".formatted(refusal.fencingToken(), lock,
				this.table,
				(refusal.registeredToken() != null) ? "token " + refusal.registeredToken() : "no row for it");
		String meaning = (refusal.registeredToken() != null) ? "another owner has held the lock since"
				: "the row was deleted, so another owner may have held the lock since";
		if (refusal.stage() == FenceRefusal.Stage.COMMIT) {
			return "The database refused %s: %s. The transaction was rolled back, and the call can be repeated"
				.formatted(tokens, meaning);
		}
		return "The database refused %s: %s. The work did not begin, and the call can be repeated. If that does not help, Redis has lost its data and its clock was set back: run DELETE FROM %s WHERE name = '%s'"
			.formatted(tokens, meaning, this.table, row.replace("'", "''"));
	}

	private static String describe(LockHandle lock) {
		return "lock '" + lock.name() + ((lock.registry() != null) ? "' of registry '" + lock.registry() + "'" : "'");
	}

	/**
	 * Token of a row, in the order in which tokens are registered and verified.
	 *
	 * @param row the name of the row
	 * @param token the token
	 */
	record RowToken(String row, long token) implements Comparable<RowToken> {

		@Override
		public int compareTo(RowToken other) {
			int byRow = this.row.compareTo(other.row);
			return (byRow != 0) ? byRow : Long.compare(this.token, other.token);
		}

	}

}
