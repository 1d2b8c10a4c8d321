package io.lockstarter.faults;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.TcpProxy;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * The master moves, as Lettuce's pool sees it.
 */
@Tag("stress")
class PooledFormerMasterTests extends FormerMasterSemantics {

	@Override
	LockBackend connect(RedisClients clients, TcpProxy proxy, Replication replication) {
		return pool(clients, proxy, replication);
	}

	static LockBackend pool(RedisClients clients, TcpProxy proxy, Replication replication) {
		return clients.connect(new RedisStandaloneConfiguration(proxy.host(), proxy.port()),
				LettucePoolingClientConfiguration.builder().poolConfig(new GenericObjectPoolConfig<>()).build(),
				replication);
	}

}
