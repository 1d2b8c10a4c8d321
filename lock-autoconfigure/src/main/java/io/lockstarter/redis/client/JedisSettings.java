package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.Optional;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

/**
 * Settings of the locks' own client of Jedis: those of the application, except for the
 * pool and the timeouts.
 */
final class JedisSettings implements JedisClientConfiguration {

	/** Maximum number of connections to a server: 8. */
	static final int CONNECTIONS = 8;

	/** Maximum time to connect, for a reply, and for a connection of the pool: 2 s. */
	private static final Duration MAX_TIME = Duration.ofSeconds(2);

	/**
	 * Interval of tests of all idle connections: 30 s. A firewall may have dropped some
	 * without notice.
	 */
	private static final Duration IDLE_TEST_INTERVAL = Duration.ofSeconds(30);

	private final JedisClientConfiguration application;

	private final Duration replicaTimeout;

	private final GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();

	/**
	 * Creates settings.
	 * @param replicaTimeout the maximum time for which WAIT blocks a connection
	 */
	JedisSettings(JedisClientConfiguration application, Duration replicaTimeout) {
		this.application = application;
		this.replicaTimeout = replicaTimeout;
		this.pool.setMaxTotal(CONNECTIONS);
		this.pool.setMaxIdle(CONNECTIONS);
		this.pool.setMaxWait(MAX_TIME);
		this.pool.setTestWhileIdle(true);
		this.pool.setTimeBetweenEvictionRuns(IDLE_TEST_INTERVAL);
		this.pool.setNumTestsPerEvictionRun(CONNECTIONS);
		// Otherwise closing the pool waits for a test that is in progress.
		this.pool.setEvictorShutdownTimeout(Duration.ZERO);
	}

	// Spring Data before 4.1 has this method only.
	@Override
	@SuppressWarnings("deprecation")
	public Optional<JedisClientConfigBuilderCustomizer> getCustomizer() {
		return this.application.getCustomizer();
	}

	@Override
	public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
		return this.application.getClientConfigCustomizer();
	}

	@Override
	public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
		return this.application.getClientCustomizer();
	}

	@Override
	public boolean isUseSsl() {
		return this.application.isUseSsl();
	}

	@Override
	public Optional<SSLSocketFactory> getSslSocketFactory() {
		return this.application.getSslSocketFactory();
	}

	@Override
	public Optional<SSLParameters> getSslParameters() {
		return this.application.getSslParameters();
	}

	@Override
	public Optional<HostnameVerifier> getHostnameVerifier() {
		return this.application.getHostnameVerifier();
	}

	@Override
	public boolean isUsePooling() {
		return true;
	}

	@Override
	public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
		return Optional.of(this.pool);
	}

	@Override
	public Optional<String> getClientName() {
		return this.application.getClientName();
	}

	@Override
	public Duration getConnectTimeout() {
		return atMost(this.application.getConnectTimeout());
	}

	@Override
	public Duration getReadTimeout() {
		return atMost(this.application.getReadTimeout()).plus(this.replicaTimeout);
	}

	/** A time of zero means that there is no limit. */
	private static Duration atMost(Duration time) {
		return (time.isZero() || time.compareTo(MAX_TIME) > 0) ? MAX_TIME : time;
	}

}
