package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.mariadb.jdbc.MariaDbDataSource;

/**
 * MariaDB for the tests of this JVM, if MariaDB is installed. It starts on first use and
 * ends with this JVM, even if the JVM is killed.
 */
public final class MariaDbFixture {

	private static final AtomicInteger DATABASES = new AtomicInteger();

	// The subshell is a watchdog at the read end of a pipe from this JVM: once that is
	// closed, it kills the process ($$) that the shell becomes
	private static final String LAUNCHER = """
			exec 3<&0
			(trap '' INT TERM HUP; read -r line <&3 || kill -9 $$) 2>/dev/null &
			exec "$@" 3<&- </dev/null""";

	private MariaDbFixture() {
	}

	/** Returns the reason why this machine has no MariaDB. */
	static Optional<String> obstacle() {
		return (server().isPresent() && Programs.onPath("mariadb-install-db").isPresent()) ? Optional.empty()
				: Optional.of("there is no mariadbd on the PATH");
	}

	/** Finds the server, which distributions install outside of the usual PATH. */
	private static Optional<Path> server() {
		return Programs.find(System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin", "mariadbd");
	}

	/**
	 * Creates an empty database.
	 * @return a data source, which opens a new connection each time
	 */
	public static DataSource createDatabase() {
		String name = "test" + DATABASES.incrementAndGet();
		try (Connection connection = Server.INSTANCE.connect(); Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return Server.INSTANCE.database(name);
	}

	private static final class Server {

		static final Server INSTANCE = new Server();

		private final int port = Ports.free();

		private final Path directory;

		@SuppressWarnings({ "FieldCanBeLocal", "unused" }) // keeps the pipe open
		private final Process process;

		private Server() {
			try {
				this.directory = Files.createTempDirectory("mariadb-");
				Path data = this.directory.resolve("data");
				install(data);
				this.process = launch(data);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			Poll.until("MariaDB is up", this::isUp);
		}

		private void install(Path data) throws IOException {
			Path program = Programs.onPath("mariadb-install-db").orElseThrow();
			List<String> command = new ArrayList<>(List.of(program.toString(), "--no-defaults", "--datadir=" + data,
					"--auth-root-authentication-method=normal", "--skip-test-db"));
			command.addAll(user());
			Process installation = start(command);
			try {
				if (installation.waitFor() != 0) {
					throw new IllegalStateException(log());
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

		private Process launch(Path data) throws IOException {
			List<String> command = new ArrayList<>(List.of("sh", "-c", LAUNCHER, "sh",
					server().orElseThrow().toString(), "--no-defaults", "--datadir=" + data,
					"--socket=" + this.directory.resolve("socket"), "--bind-address=127.0.0.1",
					String.format(Locale.ROOT, "--port=%d", this.port), "--innodb-flush-log-at-trx-commit=0"));
			command.addAll(user());
			return start(command);
		}

		/** Returns the options that root has to pass. */
		private static List<String> user() {
			return "root".equals(System.getProperty("user.name")) ? List.of("--user=root") : List.of();
		}

		private Process start(List<String> command) throws IOException {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("log").toFile()))
				.start();
		}

		private String log() throws IOException {
			return Files.readString(this.directory.resolve("log"));
		}

		private boolean isUp() {
			try (Connection connection = connect()) {
				return connection.isValid(1);
			}
			catch (SQLException ex) {
				return false;
			}
		}

		Connection connect() throws SQLException {
			return database("").getConnection();
		}

		DataSource database(String name) {
			try {
				MariaDbDataSource database = new MariaDbDataSource(
						String.format(Locale.ROOT, "jdbc:mariadb://127.0.0.1:%d/%s", this.port, name));
				database.setUser("root");
				return database;
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
