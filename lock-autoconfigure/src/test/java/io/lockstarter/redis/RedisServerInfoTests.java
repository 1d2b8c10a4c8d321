package io.lockstarter.redis;

import io.lettuce.core.ReadFrom;
import io.lockstarter.testing.RedisReplication;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@link RedisServerInfo} finds where a master has replicas.
 */
class RedisServerInfoTests {

	@Test
	void asksTheMasterWhereReplicasAreReadFrom() {
		try (RedisReplication redis = RedisReplication.start(1)) {
			RedisServer master = redis.master();
			master.cli("CONFIG", "SET", "maxmemory", "100mb");
			master.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
			assertThat(survey(master, ReadFrom.REPLICA_PREFERRED).warnings()).singleElement()
				.asString()
				.contains("maxmemory-policy allkeys-random");
		}
	}

	@Test
	void warnsOfAReplica() {
		try (RedisReplication redis = RedisReplication.start(1)) {
			RedisServerInfo survey = survey(redis.replicas().get(0), null);
			assertThat(survey.warnings()).singleElement().asString().contains("Redis answers as a replica");
			assertThat(survey.description()).startsWith("Redis ").endsWith(", standalone");
		}
	}

	private static RedisServerInfo survey(RedisServer server, ReadFrom readFrom) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
		if (readFrom != null) {
			client.readFrom(readFrom);
		}
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(server.host(), server.port()), client.build());
		factory.afterPropertiesSet();
		factory.start();
		try {
			return RedisServerInfo.of(factory);
		}
		finally {
			factory.destroy();
		}
	}

}
