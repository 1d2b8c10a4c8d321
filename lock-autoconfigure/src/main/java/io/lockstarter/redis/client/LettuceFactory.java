package io.lockstarter.redis.client;

import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * View of a Spring Data connection factory that uses Lettuce.
 */
final class LettuceFactory {

	/**
	 * Maximum number of attempts to open a connection that the server closes at once.
	 * Usually the server has rejected the credentials or has reached its limit of
	 * connections. Only some attempts report the reason.
	 */
	private static final int ATTEMPTS = 3;

	private final RedisConnectionFactory connectionFactory;

	private final @Nullable LettuceConnectionFactory known;

	LettuceFactory(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.known = (connectionFactory instanceof LettuceConnectionFactory factory) ? factory : null;
	}

	/**
	 * Returns the factory, or {@code null} if it is not a
	 * {@link LettuceConnectionFactory}.
	 */
	@Nullable LettuceConnectionFactory known() {
		return this.known;
	}

	boolean isStopped() {
		return this.known != null && !this.known.isRunning();
	}

	/**
	 * Returns whether the factory may connect to a cluster. A factory of another type
	 * reveals this only once connected. Until then a cluster is the safe assumption for
	 * messages.
	 */
	boolean mayLeadToCluster() {
		return this.known == null || this.known.isClusterAware();
	}

	boolean usesTls() {
		return this.known != null && this.known.isUseSsl();
	}

	boolean usesSentinels() {
		return this.known != null && this.known.isRedisSentinelAware();
	}

	boolean usesPool() {
		return this.known != null && this.known.getClientConfiguration() instanceof LettucePoolingClientConfiguration;
	}

	/** Returns whether Lettuce reconnects by itself. */
	boolean reconnects() {
		return this.known == null || this.known.isClusterAware()
				|| this.known.getClientConfiguration()
					.getClientOptions()
					.map(ClientOptions::isAutoReconnect)
					.orElse(true);
	}

	/** Returns the connection that Spring Data shares. */
	RedisConnection shared() {
		return attempt(this.connectionFactory::getConnection);
	}

	/**
	 * Opens a connection of the locks' own for a factory with a pool. The pool would lend
	 * the same connection again even if it is unresponsive or leads to a demoted master.
	 */
	static LettuceConnection openOwn(LettuceConnectionFactory factory) {
		AbstractRedisClient client = factory.getRequiredNativeClient();
		if (client instanceof RedisClusterClient cluster) {
			StatefulRedisClusterConnection<byte[], byte[]> opened = attempt(
					() -> cluster.connect(ByteArrayCodec.INSTANCE));
			return new LettuceConnection(opened, opened.async());
		}
		StatefulRedisConnection<byte[], byte[]> opened = attempt(() -> openNew(factory));
		return new LettuceConnection(opened, (RedisClusterAsyncCommands<byte[], byte[]>) opened.async());
	}

	/** Opens a connection to subscribe with, which does not come from a pool either. */
	RedisConnection openForSubscription() {
		LettuceConnectionFactory factory = this.known;
		if (factory == null || !usesPool()) {
			return this.connectionFactory.getConnection();
		}
		AbstractRedisClient client = factory.getRequiredNativeClient();
		return (client instanceof RedisClusterClient cluster) ? new LettuceClusterConnection(cluster)
				: new org.springframework.data.redis.connection.lettuce.LettuceConnection(factory.getTimeout(),
						(io.lettuce.core.RedisClient) client);
	}

	private static <T> T attempt(Supplier<T> connecting) {
		for (int i = 1; i < ATTEMPTS; i++) {
			try {
				return connecting.get();
			}
			catch (RuntimeException ex) {
				if (!Causes.isOnlyClosed(ex)) {
					throw ex;
				}
			}
		}
		return connecting.get();
	}

	/** Opens a separate connection to a single server. */
	static StatefulRedisConnection<byte[], byte[]> openNew(LettuceConnectionFactory factory) {
		io.lettuce.core.RedisClient client = (io.lettuce.core.RedisClient) factory.getRequiredNativeClient();
		return client.connect(ByteArrayCodec.INSTANCE);
	}

	boolean leadsToOneServer() {
		return this.known != null && several(this.known) == null;
	}

	/** Returns a readable description of the address, or an empty string if unknown. */
	String address() {
		LettuceConnectionFactory factory = this.known;
		if (factory == null) {
			return "";
		}
		return RedisAddress.describe(configuration(factory), "Lettuce");
	}

	/** Returns the topology of the servers, or an empty string if unknown. */
	String topology() {
		return (this.known != null) ? RedisAddress.topology(configuration(this.known)) : "";
	}

	private static RedisConfiguration configuration(LettuceConnectionFactory factory) {
		RedisConfiguration several = several(factory);
		return (several != null) ? several : single(factory);
	}

	private static @Nullable RedisConfiguration several(LettuceConnectionFactory factory) {
		return Stream
			.of(factory.getClusterConfiguration(), factory.getSentinelConfiguration(), factory.getSocketConfiguration())
			.filter(Objects::nonNull)
			.map(RedisConfiguration.class::cast)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns the configuration of a single server. The factory's own standalone
	 * configuration is not necessarily the one in use.
	 */
	private static RedisConfiguration single(LettuceConnectionFactory factory) {
		RedisStandaloneConfiguration known = factory.getStandaloneConfiguration();
		if (known.getHostName().equals(factory.getHostName()) && known.getPort() == factory.getPort()) {
			return known;
		}
		RedisStandaloneConfiguration used = new RedisStandaloneConfiguration(factory.getHostName(), factory.getPort());
		used.setDatabase(factory.getDatabase());
		return used;
	}

	@Override
	public String toString() {
		return this.connectionFactory.getClass().getName();
	}

}
