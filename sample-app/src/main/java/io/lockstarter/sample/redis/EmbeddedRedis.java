package io.lockstarter.sample.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Redis server on a fixed port of this machine. The first instance starts the server, and
 * all others join it. The server ends with the process that started it, even if that
 * process is killed.
 */
final class EmbeddedRedis implements AutoCloseable {

	static final String HOST = "127.0.0.1";

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	/** Maximum time for the server to start or to stop: 10 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** Maximum time for a connection and for the reply to a ping: 1 s. */
	private static final int PING_TIMEOUT_MILLIS = 1000;

	/**
	 * Shell script that starts Redis and kills it at the end of standard input. Standard
	 * input ends when this JVM closes the pipe or dies, even by SIGKILL. Redis runs in
	 * the background and the shell ignores signals, because Ctrl-C reaches all processes
	 * of a terminal at once, and the application must still be able to release its locks.
	 */
	private static final String LAUNCHER = """
			trap '' HUP INT TERM
			cd "$1" && shift || exit
			"$@" >>log 2>&1
			cat >/dev/null
			[ -s pid ] || sleep 1
			kill -9 "$(cat pid)"
			rm -rf "$PWD"
			""";

	private final int port;

	private final @Nullable Process launcher;

	private EmbeddedRedis(int port, @Nullable Process launcher) {
		this.port = port;
		this.launcher = launcher;
	}

	/**
	 * Joins the server on a port, or starts a new one if there is none.
	 * @param port the port
	 * @return the server, which is ready
	 */
	static EmbeddedRedis startOrJoin(int port) {
		try {
			return replies(port) ? joined(port) : start(port);
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					String.format(Locale.ROOT,
							"The embedded Redis does not start on port %d: %s; set sample.redis.port to"
									+ " another port, or spring.data.redis.host to your own Redis",
							port, ex.getMessage()),
					ex);
		}
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() {
		if (this.launcher != null) {
			stop(this.launcher);
			awaitEnd();
		}
	}

	/**
	 * Waits until the server accepts no connections, which is some time after SIGKILL was
	 * sent.
	 */
	private void awaitEnd() {
		long start = System.nanoTime();
		while (listens(this.port) && System.nanoTime() - start < TIMEOUT.toNanos()) {
			pause();
		}
	}

	private static boolean listens(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(address(port), PING_TIMEOUT_MILLIS);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static EmbeddedRedis joined(int port) {
		logger.info("Joined the Redis on port " + port);
		return new EmbeddedRedis(port, null);
	}

	private static EmbeddedRedis start(int port) throws IOException {
		Path directory = Files.createTempDirectory("lock-starter-redis-");
		Process launcher = launch(directory, port);
		try {
			awaitReply(port, directory);
		}
		catch (IOException | RuntimeException ex) {
			stop(launcher);
			throw ex;
		}
		// Redis writes its pid once it listens. If the pid is missing, another instance
		// was
		// faster
		if (!Files.exists(directory.resolve("pid"))) {
			stop(launcher);
			return joined(port);
		}
		logger.info(String.format(Locale.ROOT, "Started Redis on port %d, which ends with this process", port));
		return new EmbeddedRedis(port, launcher);
	}

	private static Process launch(Path directory, int port) throws IOException {
		Path server = unpackServer(directory);
		List<String> command = List.of("sh", "-c", LAUNCHER, "sh", directory.toString(), server.toString(), "--port",
				String.valueOf(port), "--bind", HOST, "--save", "", "--appendonly", "no", "--daemonize", "yes", "--dir",
				directory.toString(), "--pidfile", directory.resolve("pid").toString(), "--logfile",
				directory.resolve("log").toString());
		return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	private static Path unpackServer(Path directory) throws IOException {
		String resource = "/redis-server-7.0.15-" + platform();
		try (InputStream content = EmbeddedRedis.class.getResourceAsStream(resource)) {
			if (content == null) {
				throw new IOException("there is no embedded Redis for " + platform());
			}
			Path server = directory.resolve("redis-server");
			Files.copy(content, server);
			if (!server.toFile().setExecutable(true)) {
				throw new IOException(server + " cannot be made executable");
			}
			return server;
		}
	}

	private static String platform() {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
		return (system.startsWith("mac") ? "darwin" : system) + "-" + switch (processor) {
			case "x86_64" -> "amd64";
			case "aarch64" -> "arm64";
			case "i386", "i686", "x86" -> "386";
			default -> processor;
		};
	}

	private static void awaitReply(int port, Path directory) throws IOException {
		long start = System.nanoTime();
		while (!replies(port)) {
			if (System.nanoTime() - start > TIMEOUT.toNanos()) {
				throw new IOException(String.format(Locale.ROOT, "it did not reply within %ds%n%s", TIMEOUT.toSeconds(),
						log(directory)));
			}
			pause();
		}
	}

	private static String log(Path directory) throws IOException {
		Path log = directory.resolve("log");
		return Files.exists(log) ? Files.readString(log) : "(it wrote no log)";
	}

	private static boolean replies(int port) throws IOException {
		try (Socket socket = new Socket()) {
			socket.connect(address(port), PING_TIMEOUT_MILLIS);
			socket.setSoTimeout(PING_TIMEOUT_MILLIS);
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			String reply = new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
			if (!reply.equals("+PONG")) {
				throw new IOException("another program uses this port");
			}
			return true;
		}
		catch (ConnectException ex) {
			return false;
		}
	}

	private static InetSocketAddress address(int port) {
		return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
	}

	private static void pause() {
		try {
			Thread.sleep(20);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for Redis", ex);
		}
	}

	private static void stop(Process launcher) {
		try {
			launcher.getOutputStream().close();
			launcher.waitFor(5, TimeUnit.SECONDS);
		}
		catch (IOException ex) {
			logger.warn("The embedded Redis could not be stopped", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
