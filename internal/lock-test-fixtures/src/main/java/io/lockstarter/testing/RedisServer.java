package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Process {@code redis-server} on a free port of 127.0.0.1. It ends with this JVM, even
 * if the JVM is killed.
 */
public final class RedisServer implements RedisFixture {

	private static final String HOST = "127.0.0.1";

	/** Maximum number of ports that are tried. */
	private static final int ATTEMPTS = 10;

	private static final String CONFIG_FILE = "redis.conf";

	private static final List<String> DATA_FILES = List.of("dump.rdb", "appendonlydir", "appendonly.aof");

	private static final Predicate<String> LOADING = (info) -> info.contains("loading:1\r\n");

	private static final Predicate<String> LOADED = LOADING.negate();

	// The subshell is a watchdog at the read end of a pipe from this JVM: once that is
	// closed, it kills the process ($$) that the shell becomes
	private static final String LAUNCHER = """
			exec 3<&0
			(trap '' INT TERM HUP; read -r line <&3 || kill -9 $$) 2>/dev/null &
			exec "$@" 3<&- </dev/null""";

	private final int port;

	private final RedisBinary binary;

	private final List<String> options;

	private final Path directory;

	private @Nullable Process process;

	private boolean stopped;

	private RedisServer(int port, RedisBinary binary, List<String> options) throws IOException {
		this.port = port;
		this.binary = binary;
		this.options = options;
		this.directory = Files.createTempDirectory("redis-" + port + "-");
		Files.createFile(this.directory.resolve(CONFIG_FILE));
	}

	/**
	 * Starts a server, which is ready when this method returns.
	 * @param options further options, such as {@code "--appendonly", "yes"}
	 */
	public static RedisServer start(String... options) {
		return start(RedisBinary.current(), List.of(options));
	}

	/**
	 * Starts a guarded server, on which clients without a login have only the permissions
	 * of the published rules. {@link #connect} logs in as an administrator.
	 * @param options further options
	 */
	public static RedisServer startGuarded(String... options) {
		return startGuarded(RedisBinary.current(), options);
	}

	/**
	 * Starts a guarded server whose clock can be set.
	 */
	public static RedisServer startGuarded(SteppableClock clock) {
		return startGuarded(RedisBinary.current().with(clock));
	}

	/**
	 * Starts a guarded server of the oldest supported version.
	 */
	public static RedisServer startOldest() {
		return startGuarded(RedisBinary.oldest());
	}

	private static RedisServer startGuarded(RedisBinary binary, String... options) {
		List<String> all = new ArrayList<>(PublishedRules.options(binary.rules()));
		all.addAll(List.of(options));
		return start(binary, all);
	}

	private static RedisServer start(RedisBinary binary, List<String> options) {
		for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
			RedisServer server = create(Ports.free(), binary, options);
			if (server.launchOrClose()) {
				return server;
			}
		}
		throw new IllegalStateException(
				String.format(Locale.ROOT, "Every port was taken, %d times in a row", ATTEMPTS));
	}

	private static RedisServer create(int port, RedisBinary binary, List<String> options) {
		try {
			return new RedisServer(port, binary, options);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String host() {
		return HOST;
	}

	@Override
	public int port() {
		return this.port;
	}

	public long pid() {
		return process().pid();
	}

	public boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Returns whether the server runs and is not suspended.
	 */
	public boolean isResponsive() {
		return isAlive() && !this.stopped;
	}

	/**
	 * Returns the folder of this server's files, which survive a restart. It contains a
	 * {@code redis.log} and the {@code redis.conf} of {@code CONFIG REWRITE}.
	 */
	public Path directory() {
		return this.directory;
	}

	@Override
	public RespClient connect(Duration timeout) {
		RespClient client = RedisFixture.super.connect(timeout);
		int password = this.options.indexOf("--requirepass") + 1;
		if (password > 0) {
			client.call("AUTH", this.options.get(password));
		}
		return isGuarded() ? asAdministrator(client) : client;
	}

	/**
	 * Logs in to a guarded server as an administrator.
	 */
	public static RespClient asAdministrator(RespClient client) {
		client.call("AUTH", PublishedRules.ADMINISTRATOR, PublishedRules.PASSWORD);
		return client;
	}

	private boolean isGuarded() {
		return this.options.contains("--user");
	}

	/**
	 * Returns the requests that Redis refused because the published rules do not allow
	 * them.
	 */
	public List<String> violations() {
		return PublishedRules.violations(list("ACL", "LOG"));
	}

	@Override
	public void kill() {
		Signals.kill(process());
		this.stopped = false;
	}

	@Override
	public void restart() {
		restart(LOADED);
	}

	/**
	 * Starts the server again on the same port, after killing it if it runs. When this
	 * method returns, the server is loading its data.
	 */
	public void restartLoading() {
		restart(LOADING);
	}

	private void restart(Predicate<String> state) {
		kill();
		if (!launch(state)) {
			throw new IllegalStateException(
					String.format(Locale.ROOT, "Port %d was taken while the server was down", this.port));
		}
	}

	/**
	 * Starts the server again on the same port without its persisted data, after killing
	 * it if it runs.
	 */
	public void restartEmpty() {
		kill();
		try {
			for (String file : DATA_FILES) {
				FileSystemUtils.deleteRecursively(this.directory.resolve(file));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		restart();
	}

	@Override
	public void stop() {
		Signals.stop(pid());
		this.stopped = true;
	}

	@Override
	public void resume() {
		Signals.resume(pid());
		this.stopped = false;
	}

	@Override
	public void close() {
		List<String> violations = (isGuarded() && isResponsive()) ? violations() : List.of();
		try {
			if (this.process != null) {
				kill();
			}
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		if (!violations.isEmpty()) {
			throw new AssertionError("The published rules do not allow " + violations);
		}
	}

	private boolean launchOrClose() {
		boolean launched = false;
		try {
			launched = launch(LOADED);
			return launched;
		}
		finally {
			if (!launched) {
				close();
			}
		}
	}

	/**
	 * Starts the process, then waits until INFO reports the state.
	 * @return {@code false} if the port was taken
	 */
	private boolean launch(Predicate<String> state) {
		try {
			Path log = this.directory.resolve("redis.log");
			Files.deleteIfExists(log);
			this.process = new ProcessBuilder(command()).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			Poll.until("Redis on port " + this.port, () -> !isAlive() || isIn(state));
			return isAlive() || failure(Files.readString(log));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<String> command() {
		List<String> command = new ArrayList<>(List.of("sh", "-c", LAUNCHER, "sh"));
		command.addAll(this.binary.launcher());
		command.addAll(List.of(this.binary.path().toString(), CONFIG_FILE));
		command.addAll(List.of("--port", String.valueOf(this.port), "--bind", HOST));
		command.addAll(List.of("--save", "", "--appendonly", "no"));
		command.addAll(this.options);
		return command;
	}

	// Checks the process, because another server may use the port
	private boolean isIn(Predicate<String> state) {
		try (RespClient client = connect(Duration.ofMillis(500))) {
			String info = String.valueOf(client.call("INFO"));
			return info.contains(String.format(Locale.ROOT, "process_id:%d\r\n", pid())) && state.test(info);
		}
		catch (UncheckedIOException | RespClient.ErrorReply ex) {
			return false;
		}
	}

	private boolean failure(String log) {
		if (log.contains("Failed listening on port")) {
			return false;
		}
		throw new IllegalStateException("Redis did not start with %s:%n%s".formatted(this.options, log));
	}

	private Process process() {
		if (this.process == null) {
			throw new IllegalStateException("Not started");
		}
		return this.process;
	}

}
