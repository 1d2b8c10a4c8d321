package io.lockstarter.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.redis.quorum.QuorumLockBackend;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for a quorum that is set up by properties.
 */
class LockQuorumConfigurationTests {

	private static final String NODES = "distributed-lock.quorum.nodes=redis://a,redis://b,rediss://c:7000";

	private static final String BILLING = "distributed-lock.registries.billing.";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void keepsLocksInAQuorumWhenItsNodesAreNamed() {
		this.runner.withPropertyValues(NODES)
			.run((context) -> assertThat(context).hasSingleBean(QuorumLockBackend.class)
				.hasSingleBean(LockBackend.class));
	}

	@Test
	void keepsLocksInAQuorumWhenItsNodesAreNamedOneByOne() {
		this.runner
			.withPropertyValues("distributed-lock.quorum.nodes[0]=redis://a",
					"distributed-lock.quorum.nodes[1]=redis://b", "distributed-lock.quorum.nodes[2]=redis://c")
			.run((context) -> assertThat(context).hasSingleBean(QuorumLockBackend.class));
	}

	@Test
	void keepsLocksInMemoryWhenChosen() {
		this.runner.withPropertyValues(NODES, "distributed-lock.backend=in-memory")
			.run((context) -> assertThat(context).hasSingleBean(LockBackend.class)
				.hasSingleBean(InMemoryLockBackend.class));
	}

	@Test
	void backsOffFromBackendOfUser() {
		this.runner.withPropertyValues(NODES)
			.withBean(LockBackend.class, () -> new InMemoryLockBackend(new InMemoryLockStore()))
			.run((context) -> assertThat(context).hasSingleBean(LockBackend.class));
	}

	@Test
	void explainsMissingLettuce() {
		this.runner.withPropertyValues(NODES)
			.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getAction())
				.contains("io.lettuce:lettuce-core"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					redis://a,redis://b                       | must be an odd number of independent servers, at least 3, but are 2
					redis://a                                 | must be an odd number of independent servers, at least 3, but are 1
					''                                        | must be an odd number of independent servers, at least 3, but are 0
					redis://a,redis://b,redis://c,redis://d   | must be an odd number of independent servers, at least 3, but are 4
					redis://a,redis://b,redis://A:6379/1      | must be different servers, but a:6379 occurs twice
					redis://a,redis://u:secret@b,c:6379       | nodes[2] must be redis://host:port
					redis://a,redis://b,http://u:secret@c     | but is 'http://***@c'
					redis://a,redis://b,redis://u:se#cret@c   | special characters percent-encoded
					redis://a,redis://b,redis-sentinel://c    | nodes[2] must be redis://host:port
					redis://a,redis://b,redis://c:99999       | nodes[2] must be redis://host:port
					redis://a,redis://b,redis://c:0           | nodes[2] must be redis://host:port
					""")
	void explainsNodesThatFormNoQuorum(String nodes, String reason) {
		this.runner.withPropertyValues("distributed-lock.quorum.nodes=" + nodes).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("distributed-lock.quorum.nodes").contains(reason);
			assertThat(analysis.getDescription() + analysis.getAction()).doesNotContain("secret")
				.doesNotContain("cret@");
		});
	}

	@Test
	void showsSettingsWithoutPasswords() {
		this.runner
			.withPropertyValues("distributed-lock.quorum.nodes=redis://a,redis://u:secret@b,redis://:secret@c:1",
					"distributed-lock.registries.d.quorum.nodes=redis://a,redis://b,redis://u:secret@c")
			.run((context) -> {
				DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
				assertThat(properties.toString()).doesNotContain("secret")
					.contains("redis://a, redis://***@b, redis://***@c:1", "redis://a, redis://b, redis://***@c");
				assertThat(properties.quorum().settings(properties).toString()).doesNotContain("secret")
					.contains("redis://***@b");
			});
	}

	@Test
	void refusesALongestLeaseShorterThanTheLeaseTime() {
		this.runner.withPropertyValues(NODES, "distributed-lock.quorum.longest-lease=29s")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription())
				.contains("distributed-lock.quorum.longest-lease must be at least 30s and at most 365d but is 29s"));
	}

	@Test
	void locksWithPasswordsWhenTheServersMayVote() {
		List<RedisServer> servers = IntStream.range(0, 3)
			.mapToObj((i) -> RedisServer.start("--requirepass", "pass:word@" + i))
			.toList();
		String nodes = String.join(",",
				servers.stream()
					.map((server) -> "redis://default:pass%%3Aword%%40%d@%s:%d".formatted(servers.indexOf(server),
							server.host(), server.port()))
					.toList());
		try {
			this.runner
				.withPropertyValues("distributed-lock.quorum.nodes=" + nodes, "distributed-lock.lease-time=1s",
						"distributed-lock.wait-time=20s")
				.run((context) -> {
					long start = System.nanoTime();
					LockRegistry registry = context.getBean(LockRegistry.class);
					assertThat(answer(() -> lock(Optional.of(registry.acquire(LockRequest.of("a")))))).isTrue();
					assertThat(Duration.ofNanos(System.nanoTime() - start)).as("waits for the longest lease once")
						.isGreaterThan(Duration.ofMillis(500));
					assertThat(answer(() -> lock(registry.tryAcquire(LockRequest.of("b"))))).as("without waiting again")
						.isTrue();
				});
		}
		finally {
			servers.forEach(RedisServer::close);
		}
	}

	/** The first answer: a short lease leaves a busy machine little time for one. */
	private static boolean answer(Callable<Boolean> question) {
		return await().ignoreExceptionsInstanceOf(LockException.class).until(question, (any) -> true);
	}

	private static boolean lock(Optional<LockHandle> lock) {
		lock.ifPresent(LockHandle::close);
		return lock.isPresent();
	}

	@Test
	@Needs(Tool.TLS)
	void trustsServersThatItsSslBundleTrusts(@TempDir Path folder) {
		ServerCertificate certificate = ServerCertificate.create(folder, ServerCertificate.LOCAL);
		List<TlsRedis> servers = Stream.generate(() -> TlsRedis.start(certificate)).limit(3).toList();
		try {
			withBundle("locks", String.join(",", servers.stream().map(TlsRedis::uri).toList()))
				.withPropertyValues("spring.ssl.bundle.pem.locks.truststore.certificate=" + certificate.certificate(),
						"distributed-lock.lease-time=1s", "distributed-lock.wait-time=20s")
				.run((context) -> {
					LockRegistry registry = context.getBean(LockRegistry.class);
					assertThat(answer(() -> lock(Optional.of(registry.acquire(LockRequest.of("a")))))).isTrue();
				});
		}
		finally {
			servers.forEach(TlsRedis::close);
		}
	}

	@Test
	void keepsLocksOfAFurtherRegistryInAQuorum() {
		List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
		String nodes = String.join(",",
				servers.stream().map((server) -> "redis://%s:%d".formatted(server.host(), server.port())).toList());
		try (RedisServer one = RedisServer.start()) {
			this.runner
				.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(one.host(), one.port()))
				.withPropertyValues(BILLING + "quorum.nodes=" + nodes, BILLING + "lease-time=1s",
						BILLING + "wait-time=20s")
				.run((context) -> {
					assertThat(context).getBean("billingLockBackend").isInstanceOf(QuorumLockBackend.class);
					assertThat(context).getBean("redisLockBackend").isInstanceOf(RedisLockBackend.class);
					LockRegistry registry = context.getBean(LockRegistry.class);
					LockRequest request = LockRequest.of("a").registry("billing");
					assertThat(answer(() -> lock(Optional.of(registry.acquire(request))))).isTrue();
					assertThat(answer(() -> lock(Optional.of(registry.acquire(LockRequest.of("a")))))).isTrue();
					servers.get(0).kill();
					assertThat(answer(() -> lock(registry.tryAcquire(request)))).isTrue();
				});
		}
		finally {
			servers.forEach(RedisServer::close);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					quorum.nodes=redis://a,redis://b                                         | distributed-lock.registries.billing.quorum.nodes must be an odd number
					quorum.nodes=redis://a,redis://b,redis://c connection-factory=x          | The lock registry 'billing' has two places for its locks
					quorum.nodes=redis://a,redis://b,redis://c quorum.longest-lease=29s      | distributed-lock.registries.billing.quorum.longest-lease must be at least 30s
					quorum.nodes=redis://a,redis://b,redis://c replication.min-replicas=1    | distributed-lock.registries.billing.replication.min-replicas must be 0
					quorum.nodes=redis://a,redis://b,rediss://c quorum.ssl.bundle=locks      | distributed-lock.registries.billing.quorum.ssl.bundle is 'locks', but there is no SSL bundle
					quorum.nodes=redis://a,redis://b,redis://c quorum.ssl.bundle=locks       | none of distributed-lock.registries.billing.quorum.nodes is a rediss:// URI
					""")
	void explainsAQuorumOfAFurtherRegistryThatCannotBe(String settings, String reason) {
		this.runner.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.withPropertyValues(Stream.of(settings.split(" ")).map(BILLING::concat).toArray(String[]::new))
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription()).contains(reason));
	}

	@Test
	void explainsASslBundleThatDoesNotExist() {
		withBundle("locks", "rediss://a,rediss://b,rediss://c").run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("distributed-lock.quorum.ssl.bundle is 'locks'");
			assertThat(analysis.getAction()).contains("spring.ssl.bundle.pem.locks");
		});
	}

	@Test
	void explainsASslBundleThatNoServerNeeds() {
		withBundle("locks", "redis://a,redis://b,redis://c")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription())
				.contains("distributed-lock.quorum.ssl.bundle is 'locks'")
				.contains("none of distributed-lock.quorum.nodes is a rediss:// URI"));
	}

	private ApplicationContextRunner withBundle(String bundle, String nodes) {
		return this.runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
			.withPropertyValues("distributed-lock.quorum.nodes=" + nodes,
					"distributed-lock.quorum.ssl.bundle=" + bundle);
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, new StandardEnvironment()),
					(factoryType, factoryName, failed) -> {
					})
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((result) -> result != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("no analysis", failure));
	}

}
