package io.lockstarter.faults;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The master moves, as Jedis sees it.
 */
@Tag("stress")
class JedisFormerMasterTests extends FormerMasterSemantics {

	@Override
	LockBackend connect(RedisClients clients, TcpProxy proxy, Replication replication) {
		return jedis(clients, proxy, replication);
	}

	static LockBackend jedis(RedisClients clients, TcpProxy proxy, Replication replication) {
		return clients.connect(new JedisConnectionFactory(new RedisStandaloneConfiguration(proxy.host(), proxy.port())),
				replication);
	}

	@Test
	void jedisFollowsANameThatResolvesAnew() throws Exception {
		JedisClientConfiguration resolving = JedisClientConfiguration.builder()
			.customizeClientConfig((config) -> config.hostAndPortMapper(
					(name) -> new HostAndPort(masterAddress().getHostString(), masterAddress().getPort())))
			.usePooling()
			.build();
		followsAName(clients()
			.connect(new JedisConnectionFactory(new RedisStandaloneConfiguration("redis.invalid", 6379), resolving)));
	}

}
