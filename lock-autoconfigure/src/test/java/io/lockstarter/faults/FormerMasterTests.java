package io.lockstarter.faults;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * The master moves, as Lettuce sees it; and once for each of the others.
 */
class FormerMasterTests extends FormerMasterSemantics {

	@Override
	LockBackend connect(RedisClients clients, TcpProxy proxy, Replication replication) {
		return clients.connect(new RedisStandaloneConfiguration(proxy.host(), proxy.port()), replication);
	}

	@Test
	void firstRequestAfterTheMoveGetsItsLockFromAPool() throws Exception {
		firstRequestAfterTheMoveGetsItsLock(PooledFormerMasterTests.pool(clients(), this.proxy, Replication.NONE));
	}

	@Test
	void firstRequestAfterTheMoveGetsItsLockFromJedis() throws Exception {
		firstRequestAfterTheMoveGetsItsLock(JedisFormerMasterTests.jedis(clients(), this.proxy, Replication.NONE));
	}

	@Test
	void lettuceFollowsANameThatResolvesAnew() throws Exception {
		ClientResources resources = ClientResources.builder().socketAddressResolver(new SocketAddressResolver() {
			@Override
			public SocketAddress resolve(RedisURI uri) {
				return masterAddress();
			}
		}).build();
		this.registries.keep((AutoCloseable) () -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS).await());
		followsAName(clients().connect(new RedisStandaloneConfiguration("redis.invalid", 6379),
				LettuceClientConfiguration.builder().clientResources(resources).build()));
	}

}
