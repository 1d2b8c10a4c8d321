package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Settings of the connections to the servers of a quorum, by URI.
 */
public final class NodeConnections implements AutoCloseable {

	/** Maximum time to connect: 1 s. */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	/** Maximum time for a command: 2 s. */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/** Number of threads of each of Lettuce's two pools. */
	private static final int THREADS = 2;

	private final ClientResources resources = DefaultClientResources.builder()
		.ioThreadPoolSize(THREADS)
		.computationThreadPoolSize(THREADS)
		.build();

	private final SslOptions tls;

	/**
	 * Creates settings for any number of servers.
	 * @param tls the options for servers with TLS, or {@code null} for the JVM's defaults
	 */
	public NodeConnections(@Nullable TlsOptions tls) {
		this.tls = (tls != null) ? sslOptions(tls) : SslOptions.create();
	}

	private static SslOptions sslOptions(TlsOptions tls) {
		SslOptions.Builder options = SslOptions.builder().keyManager(tls.keys()).trustManager(tls.trusted());
		if (!tls.protocols().isEmpty()) {
			options.protocols(tls.protocols().toArray(String[]::new));
		}
		if (!tls.ciphers().isEmpty()) {
			options.cipherSuites(tls.ciphers().toArray(String[]::new));
		}
		return options.build();
	}

	/**
	 * Returns a connection factory for the server with a URI. The factory is not started,
	 * because locks derive a client of their own from its settings.
	 */
	public RedisConnectionFactory open(String uri) {
		RedisURI server = RedisURI.create(uri);
		RedisStandaloneConfiguration configuration = (RedisStandaloneConfiguration) LettuceConnectionFactory
			.createRedisConfiguration(server);
		ClientOptions options = ClientOptions.builder()
			.socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).keepAlive(true).build())
			.sslOptions(this.tls)
			.build();
		return new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder()
					.apply(server)
					.commandTimeout(COMMAND_TIMEOUT)
					.clientOptions(options)
					.clientResources(this.resources)
					.build());
	}

	/** Stops the threads, once all connections are closed. */
	@Override
	public void close() {
		this.resources.shutdown(0, 0, TimeUnit.MILLISECONDS);
	}

}
