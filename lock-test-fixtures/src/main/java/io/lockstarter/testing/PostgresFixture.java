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
 * PostgreSQL for the tests of this JVM: started when the first of them needs it, ended
 * with the JVM. Carries its binaries, so that nothing need be installed.
 */
public final class PostgresFixture {

	private static final AtomicInteger DATABASES = new AtomicInteger();

	private PostgresFixture() {
	}

	/**
	 * Creates an empty database.
	 * @return opens a new connection to it each time
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
