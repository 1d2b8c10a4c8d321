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
 * A connection factory of Spring Data with Lettuce behind it, as far as it tells.
 */
final class LettuceFactory {

	/**
	 * How often a connection is asked for that is closed while it is made. Mostly a
	 * server has refused the user, or has too many, which another attempt may tell.
	 */
	private static final int ATTEMPTS = 3;

	private final RedisConnectionFactory connectionFactory;

	private final @Nullable LettuceConnectionFactory known;

	LettuceFactory(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.known = (connectionFactory instanceof LettuceConnectionFactory factory) ? factory : null;
	}

	/** The factory itself, or {@code null} if it is of another kind. */
	@Nullable LettuceConnectionFactory known() {
		return this.known;
	}

	boolean isStopped() {
		return this.known != null && !this.known.isRunning();
	}

	/**
	 * Whether it leads to a cluster. One of another kind shows that when it has
	 * connected, and until then the messages of a cluster are the safe assumption.
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

	/** Whether Lettuce does by itself. */
	boolean reconnects() {
		return this.known == null || this.known.isClusterAware()
				|| this.known.getClientConfiguration()
					.getClientOptions()
					.map(ClientOptions::isAutoReconnect)
					.orElse(true);
	}

	/** A connection as Spring Data gives it out. */
	RedisConnection shared() {
		return attempt(this.connectionFactory::getConnection);
	}

	/**
	 * A connection of the locks' own, for a factory with a pool: that would give out the
	 * same one again, even if it is silent or leads to a former master.
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

	/** A connection to subscribe with, which comes from no pool either. */
	RedisConnection openForMessages() {
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

	/** A connection of its own, to a single server. */
	static StatefulRedisConnection<byte[], byte[]> openNew(LettuceConnectionFactory factory) {
		io.lettuce.core.RedisClient client = (io.lettuce.core.RedisClient) factory.getRequiredNativeClient();
		return client.connect(ByteArrayCodec.INSTANCE);
	}

	boolean leadsToOneServer() {
		return this.known != null && several(this.known) == null;
	}

	/** Where it leads to, for people to read; empty if that is not known. */
	String address() {
		LettuceConnectionFactory factory = this.known;
		if (factory == null) {
			return "";
		}
		return RedisAddress.describe(configuration(factory), "Lettuce");
	}

	/** How the servers are connected; empty if that is not known. */
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

	/** What it has for a single server need not be in use. */
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
