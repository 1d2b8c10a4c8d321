package io.lockstarter.redis;

import java.util.Properties;

import io.lettuce.core.ReadFrom;
import io.lockstarter.testing.RedisReplication;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
			assertThat(survey.warnings()).singleElement().asString().contains("This Redis is a replica");
			assertThat(survey.description()).matches("(Redis|Valkey) .*, standalone");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					redis_version:7.2.4 redis_mode:standalone                                                 | Redis 7.2.4, standalone
					redis_version:7.2.4 server_name:valkey valkey_version:8.1.1 server_mode:standalone        | Valkey 8.1.1, standalone
					redis_version:7.2.0 dragonfly_version:df-v1.27.1 redis_mode:standalone                    | Dragonfly df-v1.27.1, standalone
					redis_version:7.4.3 garnet_version:1.0.65                                                 | Garnet 1.0.65
					maxmemory:0                                                                               | Redis
					""")
	void namesTheServerAsItCallsItself(String info, String description) {
		Properties fields = new Properties();
		for (String field : info.split(" ")) {
			fields.setProperty(field.split(":")[0], field.split(":")[1]);
		}
		assertThat(new RedisServerInfo(fields).description()).isEqualTo(description);
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
			return RedisServerInfo.of(factory::getConnection, "lock:server");
		}
		finally {
			factory.destroy();
		}
	}

}
