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
 * A {@code redis-server} process on a free port of 127.0.0.1. It dies with this JVM,
 * however the JVM dies.
 */
public final class RedisServer implements RedisFixture {

	private static final String HOST = "127.0.0.1";

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
	 * Start a server that answers when this method returns.
	 * @param options further options, such as {@code "--appendonly", "yes"}
	 */
	public static RedisServer start(String... options) {
		return start(RedisBinary.current(), List.of(options));
	}

	/**
	 * Start a server where clients that do not log in may do no more than the published
	 * rules allow; {@link #connect} logs in as one who may do everything.
	 * @param options further options
	 */
	public static RedisServer startGuarded(String... options) {
		return startGuarded(RedisBinary.current(), options);
	}

	/**
	 * Start a guarded server whose clock can be set.
	 */
	public static RedisServer startGuarded(SteppableClock clock) {
		return startGuarded(RedisBinary.current().with(clock));
	}

	/**
	 * Start a guarded server of the oldest version that is supported.
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
	 * Whether the server runs without being frozen.
	 */
	public boolean isResponsive() {
		return isAlive() && !this.stopped;
	}

	/**
	 * The folder of this server's files, kept over a restart, with a {@code redis.log}
	 * and a {@code redis.conf} that {@code CONFIG REWRITE} writes to.
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
	 * Log in to a guarded server as one who may do everything.
	 */
	public static RespClient asAdministrator(RespClient client) {
		client.call("AUTH", PublishedRules.ADMINISTRATOR, PublishedRules.PASSWORD);
		return client;
	}

	private boolean isGuarded() {
		return this.options.contains("--user");
	}

	/**
	 * What clients were refused because the published rules do not allow it.
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
	 * Start the server again on the same port, after killing it if it runs, and return
	 * while it is loading its data.
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
	 * Start the server again on the same port without the data that it may have
	 * persisted, after killing it if it runs.
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
	 * Start the process, then wait until it answers with INFO about the state wanted.
	 * @return {@code false} if its port was taken
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

	// Asks for the process, since a foreign server may answer on a port that was taken
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
