package io.lockstarter.redis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisServer;
import org.aopalliance.intercept.Joinpoint;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of locks whose connection factory is behind a proxy, as that of an aspect.
 */
class ProxiedFactoryTests {

	private final RedisServer redis = RedisServer.start();

	private final JedisConnectionFactory jedis = new JedisConnectionFactory(address());

	private final LettuceConnectionFactory lettuce = new LettuceConnectionFactory(address());

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
	}

	@AfterEach
	void stop() {
		this.jedis.destroy();
		this.lettuce.destroy();
		this.redis.close();
	}

	@Test
	void lookBehindAProxyOfSpringForJedis() throws Exception {
		this.jedis.afterPropertiesSet();
		this.jedis.start();
		assertLocks(proxy(this.jedis), "Jedis");
	}

	@Test
	void lookBehindAProxyOfSpringForLettuce() throws Exception {
		assertLocks(proxy(this.lettuce), "Lettuce");
	}

	@Test
	void lookBehindAProxyOfAProxy() throws Exception {
		this.jedis.afterPropertiesSet();
		this.jedis.start();
		assertLocks(proxy(proxy(this.jedis)), "Jedis");
	}

	@Test
	void lookBehindAProxyThatIsASubclassOfLettuces() throws Exception {
		ProxyFactory factory = new ProxyFactory(this.lettuce);
		factory.setProxyTargetClass(true);
		assertLocks((RedisConnectionFactory) factory.getProxy(), "Lettuce");
	}

	/** As that of a scope. */
	@Test
	void lookBehindAProxyWhoseTargetChanges() throws Exception {
		ProxyFactory factory = new ProxyFactory();
		factory.setTargetClass(LettuceConnectionFactory.class);
		factory.setProxyTargetClass(true);
		factory.setTargetSource(new HotSwappableTargetSource(this.lettuce));
		assertLocks((RedisConnectionFactory) factory.getProxy(), "Lettuce");
	}

	@Test
	void nameTheBeanToDefineBehindAnyOtherProxy() {
		RedisConnectionFactory opaque = (RedisConnectionFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class },
				(proxy, method, args) -> method.invoke(this.lettuce, args));
		try (RedisLockBackend backend = new RedisLockBackend(opaque, "lock:", Duration.ofMinutes(1));
				DefaultLockRegistry registry = registry(backend)) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
				.withMessageContaining("the connection factory is a " + opaque.getClass().getName()
						+ ". Define a LettuceConnectionFactory or a JedisConnectionFactory for the locks as a bean named"
						+ " distributedLockConnectionFactory");
		}
	}

	private static RedisConnectionFactory proxy(RedisConnectionFactory target) {
		ProxyFactory factory = new ProxyFactory(RedisConnectionFactory.class, (MethodInterceptor) Joinpoint::proceed);
		factory.setTarget(target);
		return (RedisConnectionFactory) factory.getProxy();
	}

	private static DefaultLockRegistry registry(RedisLockBackend backend) {
		return new DefaultLockRegistry(backend, Settings.of("instance", Duration.ofSeconds(5), Duration.ofSeconds(30)),
				List.of());
	}

	private void assertLocks(RedisConnectionFactory factory, String client) throws InterruptedException {
		try (RedisLockBackend backend = new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1));
				DefaultLockRegistry registry = registry(backend)) {
			registry.acquire(LockRequest.of("a")).close();
			assertThat(backend.address()).contains(Integer.toString(this.redis.port()), client);
		}
	}

}
