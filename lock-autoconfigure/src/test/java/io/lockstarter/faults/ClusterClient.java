package io.lockstarter.faults;

import java.time.Duration;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.RedisCluster;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The client libraries, as they reach a cluster.
 */
enum ClusterClient {

	LETTUCE(Duration.ofSeconds(3)),
	/** Pauses between its own attempts. */
	JEDIS(Duration.ofSeconds(10));

	/** How soon after a failover it finds the new master. */
	final Duration followsWithin;

	ClusterClient(Duration followsWithin) {
		this.followsWithin = followsWithin;
	}

	LockBackend connect(RedisClients clients, RedisCluster cluster) {
		return (this == LETTUCE) ? clients.connect(addresses(cluster))
				: clients.connect(new JedisConnectionFactory(addresses(cluster)));
	}

	static RedisClusterConfiguration addresses(RedisCluster cluster) {
		return new RedisClusterConfiguration(cluster.addresses());
	}

}
