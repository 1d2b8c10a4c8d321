package io.lockstarter.redis.quorum;

import io.lettuce.core.SslVerifyMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the URI of a server says about the connection to it.
 */
class NodeConnectionsTests {

	private final NodeConnections connections = new NodeConnections(null);

	@AfterEach
	void close() {
		this.connections.close();
	}

	@Test
	void takesAddressUserAndPasswordFromTheUri() {
		LettuceConnectionFactory factory = open("redis://locks:p%40ss%3Aword@redis-1:7000/3");
		RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
		assertThat(server.getHostName()).isEqualTo("redis-1");
		assertThat(server.getPort()).isEqualTo(7000);
		assertThat(server.getDatabase()).isEqualTo(3);
		assertThat(server.getUsername()).isEqualTo("locks");
		assertThat(server.getPassword()).isEqualTo(RedisPassword.of("p@ss:word"));
		assertThat(factory.getClientConfiguration().isUseSsl()).isFalse();
	}

	@Test
	void usesTlsAndTheUsualPort() {
		LettuceConnectionFactory factory = open("rediss://redis-1");
		assertThat(factory.getClientConfiguration().isUseSsl()).isTrue();
		assertThat(factory.getClientConfiguration().getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
		assertThat(factory.getStandaloneConfiguration().getPort()).isEqualTo(6379);
	}

	private LettuceConnectionFactory open(String uri) {
		return (LettuceConnectionFactory) this.connections.open(uri);
	}

}
