package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The locks' own client of Lettuce, which is derived from the application's connection
 * factory on first use. It leads to the same servers, but shares no connection with the
 * application.
 * <p>
 * Safe for use by multiple threads.
 */
final class LettuceFactory implements AutoCloseable {

	/**
	 * Maximum number of attempts to open a connection that the server closes at once.
	 * Usually the server has rejected the credentials or has reached its limit of
	 * connections. Only some attempts report the reason.
	 */
	private static final int ATTEMPTS = 3;

	/**
	 * Maximum duration of an attempt after which another one follows: 1 s. A connection
	 * that is closed later has probably not been closed by the server.
	 */
	private static final long AT_ONCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Time after which a connection without any reply is replaced: 5 s. */
	private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * Time after which a connection without any reply is replaced if Sentinels can name
	 * another master: 2 s.
	 */
	private static final Duration REPLY_TIMEOUT_WITH_SENTINELS = Duration.ofSeconds(2);

	private final RedisConnectionFactory application;

	private final @Nullable RedisConfiguration configuration;

	private final Duration replicaTimeout;

	private final Duration replyTimeout;

	private volatile @Nullable LettuceConnectionFactory derived;

	private @Nullable ClientResources resources;

	private volatile boolean closed;

	/**
	 * Creates a client without deriving it.
	 * @param replicaTimeout the maximum time for which WAIT blocks a connection
	 * @throws IllegalStateException if the application's factory uses static masters and
	 * replicas
	 */
	LettuceFactory(RedisConnectionFactory application, Duration replicaTimeout) {
		this.application = application;
		this.replicaTimeout = replicaTimeout;
		this.configuration = (application instanceof LettuceConnectionFactory known) ? configuration(known) : null;
		this.replyTimeout = ((this.configuration instanceof RedisSentinelConfiguration) ? REPLY_TIMEOUT_WITH_SENTINELS
				: REPLY_TIMEOUT)
			.plus(replicaTimeout);
		if (this.configuration instanceof StaticMasterReplicaConfiguration) {
			throw new IllegalStateException("Locks cannot use a static master with replicas"
					+ " (spring.data.redis.masterreplica.nodes), which follows no failover. Set spring.data.redis.host"
					+ " and port, or sentinel.*, or define a LettuceConnectionFactory for the locks as a bean named"
					+ " distributedLockConnectionFactory.");
		}
	}

	/**
	 * Returns the configuration in use. Spring Data has a getter for it only if it was
	 * not passed as a mere {@link RedisConfiguration}, as that of a URI. A proxy whose
	 * target changes has getters only.
	 */
	private static @Nullable RedisConfiguration configuration(LettuceConnectionFactory factory) {
		DirectFieldAccessor fields = new DirectFieldAccessor(factory);
		Object used = fields.isReadableProperty("configuration") ? fields.getPropertyValue("configuration") : null;
		return (used instanceof RedisConfiguration known) ? known
				: Stream
					.of(factory.getClusterConfiguration(), factory.getSentinelConfiguration(),
							factory.getSocketConfiguration(), factory.getStandaloneConfiguration())
					.filter(Objects::nonNull)
					.map(RedisConfiguration.class::cast)
					.findFirst()
					.orElse(null);
	}

	/**
	 * Returns the locks' client. Derives and starts it if necessary, without connecting.
	 * @throws IllegalStateException if it cannot be derived
	 * @throws RejectedExecutionException if it has been closed
	 */
	LettuceConnectionFactory get() {
		LettuceConnectionFactory current = this.derived;
		return (current != null && current.isRunning() && !this.closed) ? current : start();
	}

	private synchronized LettuceConnectionFactory start() {
		if (this.closed) {
			throw new RejectedExecutionException("The connections of locks have been closed");
		}
		LettuceConnectionFactory current = this.derived;
		if (current == null) {
			current = derive();
			this.derived = current;
		}
		try {
			current.start();
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// A factory whose start has failed cannot be started again.
			this.derived = null;
			throw ex;
		}
		return current;
	}

	/** Returns Lettuce's client, or {@code null} if it is not running. */
	@Nullable AbstractRedisClient running() {
		LettuceConnectionFactory current = this.derived;
		return (current != null && current.isRunning()) ? current.getNativeClient() : null;
	}

	private LettuceConnectionFactory derive() {
		LettuceClientConfiguration settings = (this.application instanceof LettuceConnectionFactory known)
				? known.getClientConfiguration() : null;
		RedisConfiguration servers = this.configuration;
		if (servers == null || settings == null) {
			throw new IllegalStateException(FailureText.ofFactory(this.application));
		}
		ClientResources shared = this.resources;
		if (shared == null) {
			shared = LettuceResources.of(settings.getClientResources().orElse(null), this.replyTimeout);
			this.resources = shared;
		}
		LettuceConnectionFactory factory = new LettuceConnectionFactory(servers,
				LettuceSettings.of(settings, isCluster(), shared, this.replicaTimeout));
		factory.afterPropertiesSet();
		return factory;
	}

	/** Opens a connection for commands. Blocks. */
	StatefulConnection<byte[], byte[]> connect() {
		AbstractRedisClient client = get().getRequiredNativeClient();
		return (client instanceof RedisClusterClient cluster) ? attempt(() -> cluster.connect(ByteArrayCodec.INSTANCE))
				: attempt(() -> ((RedisClient) client).connect(ByteArrayCodec.INSTANCE));
	}

	/** Returns a connection of Spring Data, which connects when it is used. */
	RedisConnection openSeparate() {
		LettuceConnectionFactory factory = get();
		AbstractRedisClient client = factory.getRequiredNativeClient();
		return (client instanceof RedisClusterClient cluster) ? new LettuceClusterConnection(cluster)
				: new LettuceConnection(factory.getTimeout(), (RedisClient) client);
	}

	private static <T> T attempt(Supplier<T> connecting) {
		for (int i = 1; i < ATTEMPTS; i++) {
			long begun = System.nanoTime();
			try {
				return connecting.get();
			}
			catch (RuntimeException ex) {
				if (!Causes.isOnlyClosed(ex) || System.nanoTime() - begun > AT_ONCE_NANOS) {
					throw ex;
				}
			}
		}
		return connecting.get();
	}

	boolean isCluster() {
		return this.configuration instanceof RedisClusterConfiguration;
	}

	boolean leadsToOneServer() {
		return this.configuration instanceof RedisStandaloneConfiguration;
	}

	boolean usesTls() {
		return this.application instanceof LettuceConnectionFactory known && known.isUseSsl();
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Returns a readable description of the address, or an empty string if unknown. */
	String address() {
		return (this.configuration != null) ? RedisAddress.describe(this.configuration, "Lettuce") : "";
	}

	/** Returns the topology of the servers, or an empty string if unknown. */
	String topology() {
		return (this.configuration != null) ? RedisAddress.topology(this.configuration) : "";
	}

	/** Closes all connections, until the next use. */
	synchronized void stop() {
		if (this.derived != null) {
			this.derived.stop();
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		stop();
		if (this.resources != null) {
			this.resources.shutdown(0, 0, TimeUnit.MILLISECONDS);
		}
	}

}
