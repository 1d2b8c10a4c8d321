package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Process {@code redis-server} with a password, which clients reach by TLS.
 */
public final class TlsRedis implements AutoCloseable {

	/** Password of the clients. */
	public static final String PASSWORD = "secret";

	/** Messages of older and newer servers that were built without TLS. */
	private static final List<String> REFUSALS = List.of("Bad directive", "Failed finding TLS support");

	private static final Optional<String> OBSTACLE = findObstacle();

	private final RedisServer server;

	private final int port;

	private TlsRedis(RedisServer server, int port) {
		this.server = server;
		this.port = port;
	}

	/** Returns the reason why the Redis server does not support TLS. */
	static Optional<String> obstacle() {
		return OBSTACLE;
	}

	// A server without TLS rejects the option. Others complain of a missing certificate.
	private static Optional<String> findObstacle() {
		Path program = RedisBinary.current().path();
		try {
			Process process = new ProcessBuilder(program.toString(), "--port", "0", "--tls-port", "1")
				.redirectErrorStream(true)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return REFUSALS.stream().anyMatch(output::contains)
					? Optional.of("%s was built without TLS".formatted(program.getFileName())) : Optional.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts a server with a certificate. */
	public static TlsRedis start(ServerCertificate certificate) {
		int port = Ports.free();
		return new TlsRedis(RedisServer.start("--requirepass", PASSWORD, "--tls-port", String.valueOf(port),
				"--tls-cert-file", certificate.certificate().toString(), "--tls-key-file", certificate.key().toString(),
				"--tls-auth-clients", "no"), port);
	}

	public String host() {
		return this.server.host();
	}

	/** Returns the port for TLS. */
	public int port() {
		return this.port;
	}

	public String uri() {
		return String.format(Locale.ROOT, "rediss://:%s@%s:%d", PASSWORD, host(), this.port);
	}

	/** Returns the server itself, which accepts the test's own commands without TLS. */
	public RedisServer server() {
		return this.server;
	}

	@Override
	public void close() {
		this.server.close();
	}

}
