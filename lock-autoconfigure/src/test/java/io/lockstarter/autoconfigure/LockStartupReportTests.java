package io.lockstarter.autoconfigure;

import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests of {@link LockStartupReport} in applications that start.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockStartupReportTests {

	private static final String EVICTS = "may delete held locks; set maxmemory-policy to noeviction";

	@Test
	void tellsWhereLocksAreKept(CapturedOutput output) {
		try (RedisServer redis = RedisServer.start(); ConfigurableApplicationContext application = start(redis)) {
			awaitLine(output, "Distributed locks in Redis ");
			assertThat(application.isRunning()).isTrue();
			assertThat(output).containsPattern(
					"Distributed locks in Redis at %s:%d \\(Lettuce\\), Redis [\\d.]+, standalone; key prefix 'lock:', lease 5s, wait 10s\\R"
						.formatted(redis.host(), redis.port()))
				.doesNotContain(EVICTS)
				.doesNotContain("replica");
		}
	}

	@Test
	void warnsOfARedisThatEvictsKeys(CapturedOutput output) {
		try (RedisServer redis = RedisServer.start("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru");
				ConfigurableApplicationContext application = start(redis)) {
			awaitLine(output, EVICTS);
			assertThat(output).contains("maxmemory-policy allkeys-lru");
			assertThat(application.isRunning()).isTrue();
		}
	}

	@Test
	void doesNotWarnOfAPolicyThatNeverApplies(CapturedOutput output) {
		try (RedisServer redis = RedisServer.start("--maxmemory-policy", "allkeys-lru");
				ConfigurableApplicationContext application = start(redis)) {
			awaitLine(output, "Distributed locks in Redis ");
			assertThat(output).doesNotContain(EVICTS);
			assertThat(application.isRunning()).isTrue();
		}
	}

	@Test
	void warnsOfAReplica(CapturedOutput output) {
		try (RedisServer redis = RedisServer.start("--replicaof", "127.0.0.1 1");
				ConfigurableApplicationContext application = start(redis)) {
			awaitLine(output, "This Redis is a replica");
			assertThat(application.isRunning()).isTrue();
		}
	}

	@Test
	void saysNothingOfWhatItMayNotAsk(CapturedOutput output) {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("ACL", "SETUSER", "default", "-info");
			try (ConfigurableApplicationContext application = start(redis)) {
				awaitLine(output, "(Lettuce), Redis; key prefix");
				assertThat(application.isRunning()).isTrue();
			}
		}
	}

	@Test
	void startsWithoutRedisAndSaysSo(CapturedOutput output) {
		RedisServer redis = RedisServer.start();
		redis.close();
		try (ConfigurableApplicationContext application = start(redis)) {
			awaitLine(output,
					"Distributed locks cannot be acquired until their backend is available: Redis at %s:%d (Lettuce): the connection was refused"
						.formatted(redis.host(), redis.port()));
			assertThat(application.isRunning()).isTrue();
		}
	}

	/** As that of Redisson, which commands of others do well with. */
	@Test
	void tellsThatLocksCannotUseAConnectionFactory(CapturedOutput output) {
		RedisConnection connection = mock();
		given(connection.getNativeConnection()).willReturn("some client");
		RedisConnectionFactory connections = mock();
		given(connections.getConnection()).willReturn(connection);
		SpringApplicationBuilder builder = builder().initializers((GenericApplicationContext context) -> context
			.registerBean(RedisConnectionFactory.class, () -> connections));
		try (ConfigurableApplicationContext application = builder.run()) {
			awaitLine(output,
					"Distributed locks cannot be acquired until their backend is available: Locks need Lettuce or Jedis");
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> application.getBean(LockRegistry.class).acquire(LockRequest.of("a")))
				.withMessageContaining("distributedLockConnectionFactory");
		}
	}

	@Test
	void tellsThatLocksInMemoryAreNotShared(CapturedOutput output) {
		try (ConfigurableApplicationContext application = start("--distributed-lock.backend=in-memory")) {
			awaitLine(output, "Distributed locks in this JVM only, not shared with other instances; key prefix");
			assertThat(application.isRunning()).isTrue();
		}
	}

	@Test
	void warnsOfPropertiesThatAreNotKnown(CapturedOutput output) {
		try (ConfigurableApplicationContext application = start("--distributed-lock.backend=in-memory",
				"--distributed-lock.wait-tme=5s", "--distributed-lock.warn.hold-times=1m",
				"--distributed-lock.replication.min-replicas=0", "--distributed-lock.waitTime=1s")) {
			awaitLine(output, "Distributed locks in this JVM only");
			assertThat(application.isRunning()).isTrue();
			assertThat(output).contains(
					"The property distributed-lock.wait-tme is unknown and has no effect (\"distributed-lock.wait-tme\" from property"
							+ " source \"commandLineArgs\"); did you mean distributed-lock.wait-time?")
				.contains("did you mean distributed-lock.warn.hold-time?")
				.doesNotContain("min-replicas is unknown")
				.doesNotContain("distributed-lock.wait-time is unknown");
		}
	}

	private static void awaitLine(CapturedOutput output, String part) {
		await().until(() -> output.toString().contains(part));
	}

	private static ConfigurableApplicationContext start(RedisServer redis) {
		return start("--spring.data.redis.host=" + redis.host(), "--spring.data.redis.port=" + redis.port());
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		return builder()
			.run(Stream
				.concat(Stream.of("--distributed-lock.lease-time=5s",
						"--logging.level.io.lockstarter.autoconfigure=info"), Stream.of(arguments))
				.toArray(String[]::new));
	}

	private static SpringApplicationBuilder builder() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Application {

	}

}
