package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A {@code redis-server} with a password that clients reach by TLS.
 */
public final class TlsRedis implements AutoCloseable {

	/** What clients have to log in with. */
	public static final String PASSWORD = "secret";

	/** What servers without TLS say, the older and the newer ones. */
	private static final List<String> REFUSALS = List.of("Bad directive", "Failed finding TLS support");

	private static final boolean SUPPORTED = look();

	private final RedisServer server;

	private final int port;

	private TlsRedis(RedisServer server, int port) {
		this.server = server;
		this.port = port;
	}

	/** Whether the server to start was built with TLS; the build's output says so. */
	public static boolean isSupported() {
		return SUPPORTED;
	}

	// A server without TLS does not know the option, or says so; others miss a
	// certificate
	private static boolean look() {
		try {
			Process process = new ProcessBuilder(RedisBinary.current().path().toString(), "--port", "0", "--tls-port",
					"1")
				.redirectErrorStream(true)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			boolean supported = REFUSALS.stream().noneMatch(output::contains);
			System.out.println("TLS tests: " + (supported ? "RUN"
					: "NOT RUN because %s was built without TLS".formatted(RedisBinary.current())));
			return supported;
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
		return "rediss://:%s@%s:%d".formatted(PASSWORD, host(), this.port);
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
