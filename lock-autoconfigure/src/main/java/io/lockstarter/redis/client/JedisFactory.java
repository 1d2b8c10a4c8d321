package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The locks' own pool of Jedis, which is derived from the application's connection
 * factory on first use. It leads to the same servers, but shares no connection with the
 * application.
 * <p>
 * Safe for use by multiple threads.
 */
final class JedisFactory implements AutoCloseable {

	/**
	 * False with Spring Data Redis 4.0, which does not support unified clients of Jedis.
	 */
	private static final boolean HAS_UNIFIED_JEDIS = ClassUtils.hasMethod(JedisConnectionFactory.class,
			"setUseUnifiedJedis", boolean.class);

	private final JedisConnectionFactory application;

	private final Duration replicaTimeout;

	private volatile @Nullable JedisConnectionFactory derived;

	private volatile boolean closed;

	/**
	 * Creates a pool without deriving it.
	 * @param replicaTimeout the maximum time for which WAIT blocks a connection
	 */
	JedisFactory(JedisConnectionFactory application, Duration replicaTimeout) {
		this.application = application;
		this.replicaTimeout = replicaTimeout;
	}

	/**
	 * Returns the locks' pool. Derives it if necessary, which blocks: Jedis then looks
	 * for the nodes of a cluster, or for the master that Sentinels name.
	 * @throws RejectedExecutionException if it has been closed
	 */
	JedisConnectionFactory get() {
		JedisConnectionFactory current = this.derived;
		return (current != null) ? current : derive();
	}

	private synchronized JedisConnectionFactory derive() {
		if (this.closed) {
			throw new RejectedExecutionException("The connections of locks have been closed");
		}
		JedisConnectionFactory current = this.derived;
		if (current == null) {
			// A factory whose start has failed cannot be started again.
			current = create();
			if (HAS_UNIFIED_JEDIS) {
				current.setUseUnifiedJedis(false);
			}
			current.afterPropertiesSet();
			current.start();
			this.derived = current;
		}
		return current;
	}

	private JedisConnectionFactory create() {
		JedisClientConfiguration applicationSettings = this.application.getClientConfiguration();
		RedisClusterConfiguration cluster = this.application.getClusterConfiguration();
		RedisSentinelConfiguration sentinels = this.application.getSentinelConfiguration();
		RedisStandaloneConfiguration server = this.application.getStandaloneConfiguration();
		if (applicationSettings != null) {
			JedisClientConfiguration settings = new JedisSettings(applicationSettings, this.replicaTimeout);
			if (cluster != null) {
				return new JedisConnectionFactory(cluster, settings);
			}
			if (sentinels != null) {
				return new JedisConnectionFactory(sentinels, settings);
			}
			if (server != null) {
				return new JedisConnectionFactory(server, settings);
			}
		}
		throw new IllegalStateException(FailureText.ofFactory(this.application));
	}

	boolean isCluster() {
		return this.application.isRedisClusterAware();
	}

	boolean usesTls() {
		return this.application.isUseSsl();
	}

	/** Returns a readable description of the address and its client. */
	String address() {
		return RedisAddress.describe(configuration(), "Jedis");
	}

	String topology() {
		return RedisAddress.topology(configuration());
	}

	private RedisConfiguration configuration() {
		return Stream.of(this.application.getClusterConfiguration(), this.application.getSentinelConfiguration())
			.filter(Objects::nonNull)
			.map(RedisConfiguration.class::cast)
			.findFirst()
			.orElseGet(this.application::getStandaloneConfiguration);
	}

	/** Closes all connections, until the next use. */
	synchronized void stop() {
		JedisConnectionFactory current = this.derived;
		this.derived = null;
		if (current != null) {
			current.destroy();
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		stop();
	}

}
