package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A {@code redis-server} with a password that clients reach by TLS.
 */
public final class TlsRedis implements AutoCloseable {

	/** What clients have to log in with. */
	public static final String PASSWORD = "secret";

	/** What servers without TLS say, the older and the newer ones. */
	private static final List<String> REFUSALS = List.of("Bad directive", "Failed finding TLS support");

	private static final Optional<String> OBSTACLE = look();

	private final RedisServer server;

	private final int port;

	private TlsRedis(RedisServer server, int port) {
		this.server = server;
		this.port = port;
	}

	/** Returns the reason why the server to start has no TLS. */
	static Optional<String> obstacle() {
		return OBSTACLE;
	}

	// A server without TLS does not know the option, or says so; others miss a
	// certificate
	private static Optional<String> look() {
		Path program = RedisBinary.current().path();
		try {
			Process process = new ProcessBuilder(program.toString(), "--port", "0", "--tls-port", "1")
				.redirectErrorStream(true)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return REFUSALS.stream().anyMatch(output::contains)
					? Optional.of("%s was built without it".formatted(program.getFileName())) : Optional.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Start a server that shows a certificate. */
	public static TlsRedis start(ServerCertificate certificate) {
		int port = Ports.free();
		return new TlsRedis(RedisServer.start("--requirepass", PASSWORD, "--tls-port", String.valueOf(port),
				"--tls-cert-file", certificate.certificate().toString(), "--tls-key-file", certificate.key().toString(),
				"--tls-auth-clients", "no"), port);
	}

	public String host() {
		return this.server.host();
	}

	/** The port for TLS. */
	public int port() {
		return this.port;
	}

	public String uri() {
		return String.format(Locale.ROOT, "rediss://:%s@%s:%d", PASSWORD, host(), this.port);
	}

	/** The server itself, which the test's own commands reach without TLS. */
	public RedisServer server() {
		return this.server;
	}

	@Override
	public void close() {
		this.server.close();
	}

}
