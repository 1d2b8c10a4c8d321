package io.lockstarter.redis.client;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Ends subscriptions in the way that a client library needs.
 */
public interface Unsubscriber {

	/**
	 * Let the thread return that has subscribed, if it is still there. Only Jedis keeps
	 * it: it reads the connection, which nobody else may give back meanwhile.
	 * @param left whether the connection is not to be used again
	 */
	void unsubscribe(RedisConnection connection, boolean left);

	/**
	 * Give back the connection of a subscription, when no thread is subscribing with it.
	 * @param left whether it is not to be used again: it leads to the same server as
	 * before, or nowhere
	 */
	void giveBack(RedisConnection connection, boolean left);

}
