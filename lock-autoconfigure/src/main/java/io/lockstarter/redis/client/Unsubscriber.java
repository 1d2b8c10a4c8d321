package io.lockstarter.redis.client;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Means to end subscriptions as a client library requires.
 */
public interface Unsubscriber {

	/**
	 * Ends the subscription, so that the thread that subscribed returns. Only Jedis
	 * occupies that thread: it reads from the connection, which no other thread may
	 * release meanwhile.
	 * @param dropped whether the connection must not be used again
	 */
	void unsubscribe(RedisConnection connection, boolean dropped);

	/**
	 * Releases the connection of a subscription once no thread subscribes with it.
	 * @param dropped whether the connection must not be used again, because it is
	 * unresponsive or leads to a demoted master
	 */
	void release(RedisConnection connection, boolean dropped);

}
