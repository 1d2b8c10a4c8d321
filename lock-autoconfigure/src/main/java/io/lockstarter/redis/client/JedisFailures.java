package io.lockstarter.redis.client;

import java.net.SocketTimeoutException;

import io.lockstarter.redis.client.RedisFailure.Kind;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Translation of failures of Jedis.
 */
final class JedisFailures {

	private JedisFailures() {
	}

	/**
	 * Translates the failure of a command.
	 * @param contacted whether a connection was established before
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
		if (lost && contacted) {
			return new RedisFailure(Kind.LOST, cause);
		}
		return new RedisFailure(isReadTimeout(cause) ? Kind.CONNECT_TIMEOUT : Kind.UNREACHABLE, cause);
	}

	/** Returns whether the server accepted the connection but does not reply. */
	private static boolean isReadTimeout(Throwable cause) {
		SocketTimeoutException timeout = Causes.find(cause, SocketTimeoutException.class);
		return timeout != null && String.valueOf(timeout.getMessage()).startsWith("Read");
	}

	/** Returns whether the server has refused a write because it is a replica. */
	static boolean isReadOnly(Throwable failure) {
		return explain(failure, true).hasCode("READONLY");
	}

	/** Returns whether the server accepts no writes. */
	static boolean isFromNonMaster(Throwable failure) {
		return explain(failure, true).isFromNonMaster();
	}

}
