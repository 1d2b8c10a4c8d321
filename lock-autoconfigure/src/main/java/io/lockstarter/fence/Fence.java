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
 * Fencing tokens in a table of a database, which lets a transaction commit only if nobody
 * has got the lock since. For code that does not use Spring's transactions:
 *
 * <pre class="code">
 * try (LockHandle lock = registry.acquire(LockRequest.of("order:42"));
 *         Connection connection = dataSource.getConnection()) {
 *     fence.register(connection, lock);   // before the transaction begins
 *     connection.setAutoCommit(false);
 *     …
 *     fence.verify(connection, lock);     // last of all before the commit
 *     connection.commit();
 * }
 * </pre>
 *
 * Let two holders work under tokens 1 and 2. If the second registers before the first
 * verifies, the first finds token 2 and is refused. If the first verifies before the
 * second registers, it keeps the row until its commit, the registration waits for that,
 * and whatever the second reads afterwards includes what the first has committed. So
 * committed transactions behave as if they had run one after another, in the order of
 * their tokens, whatever Redis, clocks and pauses do. The row is held between verifying
 * and committing only. What is written after verifying, as when JPA flushes at the
 * commit, is protected as well, since the row is held until the commit.
 * <p>
 * Several locks are registered and verified in the order of their names, so that no two
 * transactions wait for each other. Thread-safe; one instance for each table.
 */
public final class Fence {

	/** The name of the table unless another one is given. */
	public static final String DEFAULT_TABLE = "lock_fence";

	private static final Pattern TABLE = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*){0,2}");

	/** How often a registration is tried that others keep getting in the way of. */
	private static final int ATTEMPTS = 20;

	private final String table;

	private final Registrations registrations = new Registrations();

	/**
	 * Uses the table {@value #DEFAULT_TABLE}.
	 */
	public Fence() {
		this(DEFAULT_TABLE);
	}

	/**
	 * Uses a table of another name.
	 * @param table the name, which may have a schema and a catalog before it
	 * @throws IllegalArgumentException if it is not a plain identifier
	 */
	public Fence(String table) {
		if (!isTable(table)) {
			throw new IllegalArgumentException("The table's name must be a plain identifier but is '" + table + "'");
		}
		this.table = table;
	}

	/**
	 * Returns whether a text may name the table.
	 * @param table the text
	 * @return {@code true} for an identifier of letters, digits and underscores, with up
	 * to two others before it
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
	 * Registers the token of a lock that was just taken, or those of several that were
	 * taken as one. Does nothing if this hold has registered it before, as when its owner
	 * re-enters.
	 * @param connection a connection in auto-commit mode, so that the next holder sees
	 * the token at once
	 * @param lock the hold
	 * @throws StaleTokenException if the table has a token that is not lower
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

	/** Whether a hold has registered its token, so that it need not again. */
	boolean isRegistered(LockHandle lock) {
		return lock.parts().stream().allMatch((part) -> this.registrations.contains(RowNames.of(part), part));
	}

	/**
	 * Verifies that the token of a lock is still the last one, and keeps others from
	 * registering until the transaction ends. If it is not, rolls the transaction back.
	 * @param connection the connection of the transaction
	 * @param lock the hold, which may be several locks that were taken as one
	 * @throws StaleTokenException if the table has another token, or none
	 * @throws SQLException if the database failed; the transaction was rolled back then,
	 * too
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

	/** Returns the tokens of holds, of which several may be of the same lock. */
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
				throw new SQLException(
						"Row '%s' of table %s is inserted and deleted all the time".formatted(row, this.table));
			}
		}
	}

	/** Whether others got in the way, so that the statement may work next time. */
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

	/** Returns {@code false} if there is a row of that name. */
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
			// Its snapshot may be older than the token of another holder, and after a
			// failed statement it may be unable to read.
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
	 * Locks a row, and keeps it from being deleted as long untouched. Writes something
	 * new in any case, since some drivers count only rows that are changed.
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

	/** Makes sure that there is a table of the right form. */
	void requireTable(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection
			.prepareStatement("SELECT name, token, touched FROM " + this.table + " WHERE 1 = 0")) {
			statement.executeQuery().close();
		}
	}

	/** Owners that live on may have used any number of locks. */
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
		String meaning = (refusal.registeredToken() != null) ? "others have held the lock since"
				: "the row was deleted, so others may have held the lock since";
		if (refusal.stage() == FenceRefusal.Stage.COMMIT) {
			return "The database refused %s: %s. The transaction was rolled back, and the call can be repeated"
				.formatted(tokens, meaning);
		}
		return "The database refused %s: %s. The work was not begun, and the call can be repeated. If that does not help, Redis has lost its data and its clock was set back: run DELETE FROM %s WHERE name = '%s'"
			.formatted(tokens, meaning, this.table, row.replace("'", "''"));
	}

	private static String describe(LockHandle lock) {
		return "lock '" + lock.name() + ((lock.registry() != null) ? "' of registry '" + lock.registry() + "'" : "'");
	}

	/**
	 * A token of a row, in the order in which tokens are registered and verified.
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
