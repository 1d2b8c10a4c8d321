package io.lockstarter.faults;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The master moves, as Lettuce sees it; and once for each of the others.
 */
class FormerMasterTests extends FormerMasterSemantics {

	@Override
	LockBackend connect(RedisClients clients, TcpProxy proxy, Replication replication) {
		return clients.connect(new RedisStandaloneConfiguration(proxy.host(), proxy.port()), replication);
	}

	@Test
	void firstRequestAfterTheMoveGetsItsLockFromJedis() throws Exception {
		firstRequestAfterTheMoveGetsItsLock(JedisFormerMasterTests.jedis(clients(), this.proxy, Replication.NONE));
	}

	/** It may have commands in flight. */
	@Test
	void connectionOfTheApplicationIsLeftAlone() throws Exception {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()));
		factory.afterPropertiesSet();
		factory.start();
		this.registries.keep(factory::destroy);
		try (RedisConnection used = factory.getConnection()) {
			RedisServerAsyncCommands<?, ?> commands = (RedisServerAsyncCommands<?, ?>) used.getNativeConnection();
			long id = commands.clientId().get();
			firstRequestAfterTheMoveGetsItsLock(
					this.registries.keep(new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1))));
			assertThat(commands.clientId().get()).isEqualTo(id);
		}
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
