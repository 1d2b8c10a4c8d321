package io.lockstarter.sample.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.lockstarter.sample.SampleProperties;
import io.lockstarter.testing.Ports;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link EmbeddedRedis} and {@link EmbeddedRedisConfiguration}.
 */
class EmbeddedRedisTests {

	private final int port = Ports.free();

	@Test
	void endsWithTheOneWhoStartedIt() {
		EmbeddedRedis first = EmbeddedRedis.startOrJoin(this.port);
		EmbeddedRedis second = EmbeddedRedis.startOrJoin(this.port);
		second.close();
		assertThat(somethingListens()).isTrue();
		first.close();
		assertThat(somethingListens()).isFalse();
	}

	@Test
	void leavesNothingBehindWhenItsProcessIsKilled() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Main.class.getName(), String.valueOf(this.port))
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		try {
			await().atMost(20, TimeUnit.SECONDS).until(this::somethingListens);
		}
		finally {
			process.destroyForcibly();
		}
		await().until(() -> !somethingListens());
	}

	@Test
	void refusesPortOfSomethingElse() throws IOException {
		try (ServerSocket other = new ServerSocket(this.port, 1, InetAddress.getByName(EmbeddedRedis.HOST))) {
			assertThatIllegalStateException().isThrownBy(() -> EmbeddedRedis.startOrJoin(this.port))
				.withMessageContaining("port " + other.getLocalPort())
				.withMessageContaining("sample.redis.port");
		}
	}

	@Test
	void isUsedWhenNoRedisIsConfigured() {
		runner().withPropertyValues("spring.data.redis.timeout=1s")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedRedis.class));
	}

	@Test
	void givesWayToConfiguredRedis() {
		runner().withPropertyValues("spring.data.redis.host=redis")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
		runner().withPropertyValues("spring.data.redis.cluster.nodes[0]=redis:6379")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
	}

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withUserConfiguration(Properties.class, EmbeddedRedisConfiguration.class)
			.withPropertyValues("sample.redis.port=" + this.port);
	}

	private boolean somethingListens() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(EmbeddedRedis.HOST, this.port), 500);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(SampleProperties.class)
	static class Properties {

	}

	/**
	 * A process that starts a Redis and waits to be killed.
	 */
	static final class Main {

		private Main() {
		}

		public static void main(String[] args) throws InterruptedException {
			EmbeddedRedis.startOrJoin(Integer.parseInt(args[0]));
			Thread.sleep(Long.MAX_VALUE);
		}

	}

}
