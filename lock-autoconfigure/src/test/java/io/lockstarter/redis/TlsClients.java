package io.lockstarter.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * How clients reach a server by TLS when they trust some certificate, and check that the
 * server shows it.
 */
public final class TlsClients {

	private TlsClients() {
	}

	/** The server, with its password. */
	public static RedisStandaloneConfiguration address(TlsRedis redis) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(redis.host(), redis.port());
		configuration.setPassword(TlsRedis.PASSWORD);
		return configuration;
	}

	/** Lettuce, which checks who the server is by default. */
	public static LettuceClientConfiguration lettuce(ServerCertificate trusted) {
		File store = trusted.trustStore().toFile();
		SslOptions options = SslOptions.builder()
			.jdkSslProvider()
			.truststore(store, ServerCertificate.PASSWORD)
			.build();
		return LettuceClientConfiguration.builder()
			.clientOptions(ClientOptions.builder().sslOptions(options).build())
			.useSsl()
			.build();
	}

	/** Jedis, which is told to check who the server is. */
	public static JedisConnectionFactory jedis(TlsRedis redis, ServerCertificate trusted) {
		SSLParameters parameters = new SSLParameters();
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		return new JedisConnectionFactory(address(redis),
				JedisClientConfiguration.builder()
					.useSsl()
					.sslSocketFactory(context(trusted).getSocketFactory())
					.sslParameters(parameters)
					.and()
					.usePooling()
					.build());
	}

	private static SSLContext context(ServerCertificate trusted) {
		try (InputStream in = Files.newInputStream(trusted.trustStore())) {
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(in, ServerCertificate.PASSWORD.toCharArray());
			TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			managers.init(store);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, managers.getTrustManagers(), null);
			return context;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
