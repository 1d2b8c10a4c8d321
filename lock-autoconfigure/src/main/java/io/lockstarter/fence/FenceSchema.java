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
 * Schema of the table of fencing tokens, for each supported database.
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
	 * @param create whether to create the table if it does not exist
	 * @return the missing table, or {@code null} if the table can be read, or if the
	 * database cannot be reached, which the first call will report
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
			logger.debug("Table %s could not be checked".formatted(table), ex);
		}
		return missing.get();
	}

	private static void create(Connection connection, String table) throws SQLException {
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator(
				new ByteArrayResource(statement(connection, table).getBytes(StandardCharsets.UTF_8)));
		// The statement may not support "if not exists", or another instance may create
		// the table at the same time.
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

	/** Returns whether the table or a column does not exist or cannot be read. */
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
	 * Table that does not exist or cannot be read.
	 *
	 * @param statement the statement that creates it
	 * @param cause the failure that the database reported
	 */
	public record Missing(String statement, SQLException cause) {
	}

}
