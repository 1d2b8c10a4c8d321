package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * PostgreSQL for the tests of this JVM. It starts on first use and ends with the JVM. The
 * class path contains its binaries, so that no installation is necessary.
 */
public final class PostgresFixture {

	private static final AtomicInteger DATABASES = new AtomicInteger();

	private PostgresFixture() {
	}

	/**
	 * Creates an empty database.
	 * @return a data source, which opens a new connection each time
	 */
	public static DataSource createDatabase() {
		String name = "test" + DATABASES.incrementAndGet();
		try (Connection connection = Server.INSTANCE.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return Server.INSTANCE.getDatabase("postgres", name);
	}

	private static final class Server {

		static final EmbeddedPostgres INSTANCE = start();

		private static EmbeddedPostgres start() {
			try {
				return EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
