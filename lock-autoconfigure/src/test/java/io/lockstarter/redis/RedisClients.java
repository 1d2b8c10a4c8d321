package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.resource.ClientResources;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.replication.Replication;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Opens backends as an application would, each with a connection factory of its own, and
 * closes them.
 */
public final class RedisClients implements AutoCloseable {

	private static final Duration RETENTION = Duration.ofMinutes(10);

	/** Threads that all clients share which have no settings of their own. */
	private static final ClientResources RESOURCES = ClientResources.builder().ioThreadPoolSize(4).build();

	private final List<AutoCloseable> opened = new ArrayList<>();

	/** A backend over a new connection to the given address. */
	public LockBackend connect(String host, int port) {
		return connect(host, port, RETENTION);
	}

	/** A backend over a new connection with a retention of its own. */
	public LockBackend connect(String host, int port, Duration retention) {
		return backend(lettuce(new RedisStandaloneConfiguration(host, port)), retention, Replication.NONE);
	}

	/** A backend over Lettuce, made as Spring Boot makes it for a single server. */
	public LockBackend connect(RedisStandaloneConfiguration configuration) {
		return backend(
				start(new LettuceConnectionFactory(configuration,
						LettuceClientConfiguration.builder().clientResources(RESOURCES).build())),
				RETENTION, Replication.NONE);
	}

	/** A backend over Lettuce. */
	public LockBackend connect(RedisConfiguration configuration) {
		return connect(configuration, Replication.NONE);
	}

	/** A backend over Lettuce that waits for replicas. */
	public LockBackend connect(RedisConfiguration configuration, Replication replication) {
		return backend(lettuce(configuration), RETENTION, replication);
	}

	/** A backend over Lettuce with settings of its own. */
	public LockBackend connect(RedisConfiguration configuration, LettuceClientConfiguration client) {
		return connect(configuration, client, Replication.NONE);
	}

	/** A backend over Lettuce with settings of its own that waits for replicas. */
	public LockBackend connect(RedisConfiguration configuration, LettuceClientConfiguration client,
			Replication replication) {
		return backend(start(new LettuceConnectionFactory(configuration, client)), RETENTION, replication);
	}

	/** A backend over Jedis. */
	public LockBackend connect(JedisConnectionFactory factory) {
		return connect(factory, Replication.NONE);
	}

	/** A backend over Jedis that waits for replicas. */
	public LockBackend connect(JedisConnectionFactory factory, Replication replication) {
		this.opened.add(0, factory::destroy);
		factory.afterPropertiesSet();
		factory.start();
		return backend(factory, RETENTION, replication);
	}

	private LettuceConnectionFactory lettuce(RedisConfiguration configuration) {
		return start(new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().clientResources(RESOURCES).build()));
	}

	private LettuceConnectionFactory start(LettuceConnectionFactory factory) {
		this.opened.add(0, factory::destroy);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private LockBackend backend(RedisConnectionFactory factory, Duration retention, Replication replication) {
		LockBackend backend = new RedisLockBackend(factory, "lock:", retention, replication);
		this.opened.add(0, backend);
		return backend;
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
	}

}
