package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.lockstarter.redis.script.ScriptCall;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Factory for clients of the library that a connection factory uses.
 */
public final class ClientFactory {

	private ClientFactory() {
	}

	/**
	 * Creates a client. The other library may be absent, so none of its classes is
	 * loaded.
	 * @param oneOfSeveral whether the server is one of several of a quorum: commands to a
	 * server that is down then fail at once
	 * @param replicaTimeout the maximum time of the WAIT that follows scripts, or zero if
	 * none follows
	 * @param connector runs tasks that block while they connect
	 * @param onReplaced is run after the client has replaced connections to a demoted
	 * master
	 * @param probe a script call that fails on a server that accepts no writes
	 */
	public static RedisClient create(RedisConnectionFactory connectionFactory, boolean oneOfSeveral,
			Duration replicaTimeout, Executor connector, Runnable onReplaced, ScriptCall probe) {
		ClassLoader classLoader = ClientFactory.class.getClassLoader();
		RedisConnectionFactory known = target(connectionFactory);
		if (ClassUtils.isPresent("redis.clients.jedis.UnifiedJedis", classLoader)
				&& known instanceof JedisConnectionFactory jedis) {
			return new JedisClient(jedis, replicaTimeout, onReplaced, probe);
		}
		return new LettuceClient(known, oneOfSeveral, replicaTimeout, connector, onReplaced, probe);
	}

	/** Returns the target of a Spring proxy, which hides the library and its settings. */
	private static RedisConnectionFactory target(RedisConnectionFactory factory) {
		return (AopProxyUtils.getSingletonTarget(factory) instanceof RedisConnectionFactory target) ? target(target)
				: factory;
	}

}
