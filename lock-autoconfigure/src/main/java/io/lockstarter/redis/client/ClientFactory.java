package io.lockstarter.redis.client;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockThreads;
import io.lockstarter.redis.script.ScriptCall;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Takes the client library that a connection factory works with.
 */
public final class ClientFactory {

	private ClientFactory() {
	}

	/** Runs what blocks while it connects, on threads that end when idle. */
	public static ExecutorService connector() {
		ThreadPoolExecutor connector = new ThreadPoolExecutor(2, 2, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				LockThreads.daemons("lock-connect"));
		connector.allowCoreThreadTimeOut(true);
		return connector;
	}

	/**
	 * Make a client. No class of the other library is loaded, which may be absent.
	 * @param oneOfSeveral whether others serve instead of a server that is down, so that
	 * its commands fail at once
	 * @param awaitsReplicas whether scripts are followed by WAIT
	 * @param connector runs what blocks while it connects
	 * @param onReplaced is told when the factory has closed its connections, or those in
	 * use have been left
	 * @param probe a script call that fails where no writes are taken
	 */
	public static RedisClient create(RedisConnectionFactory connectionFactory, boolean oneOfSeveral,
			boolean awaitsReplicas, Executor connector, Runnable onReplaced, ScriptCall probe) {
		ClassLoader classLoader = ClientFactory.class.getClassLoader();
		RedisConnectionFactory known = target(connectionFactory);
		if (ClassUtils.isPresent("redis.clients.jedis.UnifiedJedis", classLoader)
				&& known instanceof JedisConnectionFactory jedis) {
			return new JedisClient(jedis, awaitsReplicas, onReplaced, probe);
		}
		return new LettuceClient(known, oneOfSeveral, connector, onReplaced, probe);
	}

	/** Looks behind proxies of Spring, which hide the library and its settings. */
	private static RedisConnectionFactory target(RedisConnectionFactory factory) {
		return (AopUtils.isJdkDynamicProxy(factory)
				&& AopProxyUtils.getSingletonTarget(factory) instanceof RedisConnectionFactory target) ? target(target)
						: factory;
	}

}
