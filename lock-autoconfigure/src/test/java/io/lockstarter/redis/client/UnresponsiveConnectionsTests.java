package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnresponsiveConnections}, with the connection factories of Spring
 * Boot.
 */
class UnresponsiveConnectionsTests {

	private static final String CLUSTER = "spring.data.redis.cluster.nodes=192.0.2.1:7000,192.0.2.2:7000";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@Test
	void areWarnedOfInACluster() {
		assertThat(warnings(this.runner.withPropertyValues(CLUSTER), 15)).singleElement()
			.asString()
			.contains(
					"set keepAlive and tcpUserTimeout of its SocketOptions through a LettuceClientOptionsBuilderCustomizer");
	}

	@Test
	void areNotWarnedOfWhereTheyAreBounded() {
		assertThat(warnings(this.runner.withPropertyValues(CLUSTER).withUserConfiguration(Bounded.class), 15))
			.isEmpty();
		assertThat(warnings(this.runner.withPropertyValues(CLUSTER), 14)).as("by the machine").isEmpty();
	}

	@Test
	void areNotWarnedOfWhereTheyAreWatchedOrCannotBe() {
		assertThat(warnings(this.runner.withPropertyValues("spring.data.redis.host=192.0.2.1",
				"spring.data.redis.lettuce.pool.enabled=false"), 15))
			.as("one server")
			.isEmpty();
		assertThat(warnings(this.runner.withPropertyValues("spring.data.redis.host=192.0.2.1",
				"spring.data.redis.lettuce.pool.enabled=true"), 15))
			.as("a pool, which locks do not use")
			.isEmpty();
		assertThat(warnings(this.runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:7000,[::1]:7001"),
				15))
			.as("local")
			.isEmpty();
		assertThat(UnresponsiveConnections
			.warnings(new JedisConnectionFactory(new RedisClusterConfiguration(List.of("192.0.2.1:7000"))), 15))
			.as("Jedis gives up after a read timeout")
			.isEmpty();
	}

	private static List<String> warnings(ApplicationContextRunner runner, int retries) {
		List<String> warnings = new ArrayList<>();
		runner.run((context) -> warnings
			.addAll(UnresponsiveConnections.warnings(context.getBean(RedisConnectionFactory.class), retries)));
		return warnings;
	}

	@Configuration(proxyBeanMethods = false)
	static class Bounded {

		@Bean
		LettuceClientOptionsBuilderCustomizer boundedSilence() {
			return (options) -> options.socketOptions(SocketOptions.builder()
				.connectTimeout(Duration.ofSeconds(5))
				.keepAlive(KeepAliveOptions.builder()
					.enable()
					.idle(Duration.ofSeconds(5))
					.interval(Duration.ofSeconds(1))
					.count(3)
					.build())
				.tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(Duration.ofSeconds(8)).build())
				.build());
		}

	}

}
