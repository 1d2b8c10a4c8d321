package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.List;

import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.ScriptCall;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * What a {@link LettuceClient} knows before it has connected.
 */
class LettuceClientTests {

	@Test
	void knowsAClusterWithoutAConnection() {
		RedisClient client = client(
				new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("localhost:1"))));
		assertThat(client.isCluster()).isTrue();
		client.close();
	}

	@Test
	void knowsASingleServerWithoutAConnection() {
		RedisClient client = client(new LettuceConnectionFactory("localhost", 1));
		assertThat(client.isCluster()).isFalse();
		client.close();
	}

	@Test
	void refusesAStaticMasterWithReplicas() {
		assertThatIllegalStateException()
			.isThrownBy(
					() -> client(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("localhost"))))
			.withMessageContaining("spring.data.redis.masterreplica.nodes")
			.withMessageContaining("distributedLockConnectionFactory");
	}

	@Test
	void connectsByNothingButLettuce() {
		RedisConnectionFactory unknown = mock();
		RedisClient client = client(unknown);
		assertThat(client.isCluster()).isFalse();
		assertThat(client.connect()).isCompletedExceptionally();
		then(unknown).shouldHaveNoInteractions();
		client.close();
	}

	/** Otherwise nobody would know that a reply may have been lost. */
	@Test
	void callThatWaitsForTheConnectionTellsWhetherItWasRepeated() {
		RedisClient client = client(new LettuceConnectionFactory("127.0.0.1", 1));
		assertThat(client.call(new ScriptCall(LuaScript.PROBE, List.of("probe"), List.of()), true))
			.isInstanceOf(RedisClient.Repeatable.class)
			.isCompletedExceptionally();
		client.close();
	}

	private static RedisClient client(RedisConnectionFactory connectionFactory) {
		return ClientFactory.create(connectionFactory, false, Duration.ZERO, Runnable::run, () -> {
		}, new ScriptCall(LuaScript.PROBE, List.of("probe"), List.of()));
	}

}
