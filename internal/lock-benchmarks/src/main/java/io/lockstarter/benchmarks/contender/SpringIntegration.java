package io.lockstarter.benchmarks.contender;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's lock registry with its defaults.
 */
final class SpringIntegration implements Contender {

	private static final String REGISTRY_KEY = "bench";

	private final LettuceConnectionFactory connections;

	private final RedisLockRegistry registry;

	private SpringIntegration(Setup setup, RedisLockType type) {
		this.connections = SpringData.connect(setup);
		this.registry = new RedisLockRegistry(this.connections, REGISTRY_KEY, setup.lease().toMillis());
		this.registry.setRedisLockType(type);
	}

	static Contender spin(Setup setup) {
		return new SpringIntegration(setup, RedisLockType.SPIN_LOCK);
	}

	static Contender pubSub(Setup setup) {
		return new SpringIntegration(setup, RedisLockType.PUB_SUB_LOCK);
	}

	@Override
	public Mutex mutex(String name) {
		return new JavaLockMutex(this.registry.obtain(name));
	}

	@Override
	public String redisKey(String name) {
		return REGISTRY_KEY + ":" + name;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.connections.destroy();
	}

}
