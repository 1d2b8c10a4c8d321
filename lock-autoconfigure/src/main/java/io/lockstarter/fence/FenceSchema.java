package io.lockstarter.fence;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The table of fencing tokens, for each kind of database.
 */
public final class FenceSchema {

	private static final LockLog logger = LockLog.of(FenceSchema.class);

	private static final List<String> PLATFORMS = List.of("postgresql", "mysql", "mariadb", "oracle", "sqlserver");

	private FenceSchema() {
	}

	/**
	 * Prepares a database.
	 * @param database the database
	 * @param table the name of the table
	 * @param create whether to create the table unless there is one
	 * @return what is missing, or {@code null} if there is a table that can be read, or
	 * the database cannot be reached: the first call will tell that
	 */
	public static @Nullable Missing prepare(FencedDatabase database, String table, boolean create) {
		AtomicReference<@Nullable Missing> missing = new AtomicReference<>();
		try {
			database.autoCommitted((connection) -> {
				if (create) {
					create(connection, table);
				}
				missing.set(find(connection, table));
			});
		}
		catch (SQLException ex) {
			logger.debug("Table %s could not be looked at".formatted(table), ex);
		}
		return missing.get();
	}

	private static void create(Connection connection, String table) throws SQLException {
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator(
				new ByteArrayResource(statement(connection, table).getBytes(StandardCharsets.UTF_8)));
		// Where the statement does not say "if not exists", or another instance is
		// faster.
		populator.setContinueOnError(true);
		populator.populate(connection);
	}

	private static @Nullable Missing find(Connection connection, String table) throws SQLException {
		try {
			new Fence(table).requireTable(connection);
			return null;
		}
		catch (SQLException ex) {
			if (!isMissing(ex)) {
				throw ex;
			}
			return new Missing(statement(connection, table), ex);
		}
	}

	/** Whether there is no such table or column, or none that may be read. */
	private static boolean isMissing(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && (state.startsWith("42") || state.equals("S0002"));
	}

	private static String statement(Connection connection, String table) throws SQLException {
		return statement(connection.getMetaData().getDatabaseProductName(), table);
	}

	private static String statement(String product, String table) {
		String name = product.toLowerCase(Locale.ROOT).replace("microsoft sql server", "sqlserver");
		String platform = PLATFORMS.stream().filter(name::contains).findFirst().orElse("h2");
		String file = "lock-fence-schema-%s.sql".formatted(platform);
		try (InputStream script = FenceSchema.class.getResourceAsStream(file)) {
			if (script == null) {
				throw new IllegalStateException(file + " is not on the class path");
			}
			return new String(script.readAllBytes(), StandardCharsets.UTF_8).replace(Fence.DEFAULT_TABLE, table);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A table that is missing, or cannot be read.
	 *
	 * @param statement the statement that creates it
	 * @param cause what the database says
	 */
	public record Missing(String statement, SQLException cause) {
	}

}
