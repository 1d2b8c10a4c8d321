package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.backend.LockBackend;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Opens backends as an application would, each with a connection of its own, and closes
 * them.
 */
public final class RedisClients implements AutoCloseable {

	private final List<AutoCloseable> opened = new ArrayList<>();

	/** A backend over a new connection to the given address. */
	public LockBackend connect(String host, int port) {
		return connect(host, port, Duration.ofMinutes(10));
	}

	/** A backend over a new connection with a retention of its own. */
	public LockBackend connect(String host, int port, Duration retention) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(host, port);
		factory.afterPropertiesSet();
		factory.start();
		LockBackend backend = new RedisLockBackend(factory, "lock:", retention);
		this.opened.add(0, factory::destroy);
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
