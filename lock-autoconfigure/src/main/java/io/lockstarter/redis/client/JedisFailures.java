package io.lockstarter.redis.client;

import io.lockstarter.redis.client.RedisFailure.Kind;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What a failure of Jedis means.
 */
final class JedisFailures {

	private JedisFailures() {
	}

	/**
	 * Tell what became of a command.
	 * @param contacted whether there had been a connection before
	 */
	static RedisFailure explain(Throwable failure, boolean contacted, String address) {
		Throwable cause = Causes.unwrap(failure);
		return (cause instanceof RedisFailure known) ? known : explain(cause, contacted).at(address);
	}

	private static RedisFailure explain(Throwable failure, boolean contacted) {
		Throwable cause = Causes.unwrap(failure);
		if (cause instanceof RedisFailure known) {
			return known;
		}
		JedisDataException refusal = Causes.find(cause, JedisDataException.class);
		if (refusal != null) {
			return new RedisFailure(Kind.REFUSED, refusal);
		}
		boolean lost = Causes.find(cause, JedisConnectionException.class) != null
				|| Causes.find(cause, JedisClusterOperationException.class) != null;
		return new RedisFailure((lost && contacted) ? Kind.LOST : Kind.UNREACHABLE, cause);
	}

	/** Whether the server takes no writes. */
	static boolean isOfNoMaster(Throwable failure) {
		return explain(failure, true).isOfNoMaster();
	}

}
