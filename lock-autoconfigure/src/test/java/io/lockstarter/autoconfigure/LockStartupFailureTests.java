package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a user reads when the application does not start.
 */
class LockStartupFailureTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lease-time=99ms             | distributed-lock.lease-time must be at least 100ms and at most 365d but is 99ms
					lease-time=-1s              | distributed-lock.lease-time must be at least 100ms and at most 365d but is -1s
					lease-time=366d             | distributed-lock.lease-time must be at least 100ms and at most 365d but is 366d
					wait-time=-1ms              | distributed-lock.wait-time must be at least 0s and at most 365d but is -1ms
					max-hold-time=29s           | distributed-lock.max-hold-time must be at least 30s and at most 365d but is 29s
					fencing.retention=0         | distributed-lock.fencing.retention must be at least 1s and at most 365d but is 0s
					replication.timeout=0       | distributed-lock.replication.timeout must be at least 1ms and at most 365d but is 0s
					replication.min-replicas=-1 | distributed-lock.replication.min-replicas must not be negative but is -1
					shutdown.drain-timeout=-2s  | distributed-lock.shutdown.drain-timeout must be at least 0s and at most 365d but is -2s
					key-prefix=my{lock}:        | distributed-lock.key-prefix must consist of letters, digits and _ : . / - but is 'my{lock}:'
					key-prefix=my lock:         | distributed-lock.key-prefix must consist of letters, digits and _ : . / - but is 'my lock:'
					""")
	void namesPropertyOutOfRange(String property, String reason) {
		failure(this.runner.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock." + property),
				(analysis) -> assertThat(analysis.getDescription()).contains(reason));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					min-replicas=1, timeout=500ms | lease-time=3s                              | distributed-lock.replication.timeout must be less than a sixth of distributed-lock.lease-time (500ms) but is 500ms
					min-replicas=2, timeout=1ms   | quorum.nodes=redis://a,redis://b,redis://c | distributed-lock.replication.min-replicas must be 0 but is 2
					""")
	void namesPropertiesThatDoNotGoTogether(String replication, String other, String reason) {
		ApplicationContextRunner replicated = this.runner.withPropertyValues("distributed-lock.backend=in-memory",
				"distributed-lock." + other);
		for (String property : replication.split(", ")) {
			replicated = replicated.withPropertyValues("distributed-lock.replication." + property);
		}
		failure(replicated, (analysis) -> assertThat(analysis.getDescription()).contains(reason));
		replicated.withPropertyValues("distributed-lock.replication.min-replicas=0")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			wait-time=10 bananas | distributed-lock.wait-time | 10 bananas
			lease-time=soon      | distributed-lock.lease-time | soon
			backend=zookeeper    | distributed-lock.backend | zookeeper
			on-lost=panic        | distributed-lock.on-lost | panic
			aspect.mode=weave    | distributed-lock.aspect.mode | weave
			aspect.order=first   | distributed-lock.aspect.order | first
			""")
	void namesPropertyThatCannotBeConverted(String setting, String property, String value) {
		failure(this.runner.withPropertyValues("distributed-lock." + setting),
				(analysis) -> assertThat(analysis.getDescription()).contains("Property: " + property)
					.contains("Value: \"" + value + "\""));
	}

	@Test
	void explainsMissingConnectionFactory() {
		failure(this.runner, (analysis) -> {
			assertThat(analysis.getDescription())
				.isEqualTo("Distributed locks are to be kept in Redis, but there is no RedisConnectionFactory bean.");
			assertThat(analysis.getAction()).contains("define a RedisConnectionFactory bean")
				.contains("distributed-lock.backend=in-memory");
		});
	}

	@Test
	void explainsThatJedisCannotWaitForReplicasInACluster() {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("localhost:1"));
		failure(this.runner.withBean(RedisConnectionFactory.class, () -> unstarted(new JedisConnectionFactory(cluster)))
			.withPropertyValues("distributed-lock.replication.min-replicas=1"), (analysis) -> {
				assertThat(analysis.getDescription())
					.isEqualTo("Distributed locks cannot work with this Redis connection.");
				assertThat(analysis.getAction()).contains("Use Lettuce", "distributed-lock.replication.min-replicas=0");
			});
	}

	@ParameterizedTest
	@CsvSource({ "1, 0, 2", "2, 1, 3" })
	void explainsThatAPoolOfJedisIsTooSmall(int connections, int replicas, int needed) {
		ConnectionPoolConfig pool = new ConnectionPoolConfig();
		pool.setMaxTotal(connections);
		JedisClientConfiguration client = JedisClientConfiguration.builder().usePooling().poolConfig(pool).build();
		failure(this.runner
			.withBean(RedisConnectionFactory.class,
					() -> unstarted(new JedisConnectionFactory(new RedisStandaloneConfiguration(), client)))
			.withPropertyValues("distributed-lock.replication.min-replicas=" + replicas),
				(analysis) -> assertThat(analysis.getAction()).contains("spring.data.redis.jedis.pool.max-active",
						"need %d connections, but Jedis' pool has %d".formatted(needed, connections)));
	}

	private static RedisConnectionFactory unstarted(JedisConnectionFactory factory) {
		factory.setEarlyStartup(false);
		return factory;
	}

	@Test
	void explainsMissingWeaver() {
		ApplicationContextRunner woven = this.runner
			.withConfiguration(AutoConfigurations.of(LockWeavingAutoConfiguration.class))
			.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.aspect.mode=aspectj");
		failure(woven, (analysis) -> {
			assertThat(analysis.getDescription()).contains("distributed-lock.aspect.mode is aspectj",
					"no AspectJ weaver");
			assertThat(analysis.getAction()).contains("-javaagent:aspectjweaver.jar", "META-INF/aop.xml");
		});
		woven.withPropertyValues("distributed-lock.aspect.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void explainsMissingRedisLibrary() {
		failure(this.runner.withClassLoader(new FilteredClassLoader("org.springframework.data.redis")), (analysis) -> {
			assertThat(analysis.getDescription()).isEqualTo(
					"Distributed locks are to be kept in Redis, but Spring Data Redis is not on the class path.");
			assertThat(analysis.getAction()).contains("spring-boot-starter-data-redis")
				.contains("distributed-lock.backend=in-memory");
		});
	}

	@Test
	void explainsBadDurationInAnnotation() {
		failure(withBean(BadDuration.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("public void " + BadDuration.class.getName() + ".run()")
				.contains("because waitTime = \"10 bananas\" is not a duration.");
			assertThat(analysis.getAction())
				.isEqualTo("Write a number with its unit, such as \"10s\" or \"500ms\", or an ISO 8601 duration such as"
						+ " \"PT10S\".");
		});
	}

	@Test
	void explainsBadExpressionInAnnotation() {
		failure(withBean(BadExpression.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("BadExpression.run(java.lang.String)")
				.contains("because key = \"#ordr\": '#ordr' is not a parameter of the method.");
			assertThat(analysis.getAction()).isEqualTo("Use one of #a0, #order, #p0, #root.target, #root.method.");
		});
	}

	private ApplicationContextRunner withBean(Class<?> type) {
		return this.runner.withPropertyValues("distributed-lock.backend=in-memory").withBean(type);
	}

	/**
	 * Analyze the failure with all analyzers of the application, as Boot does.
	 */
	private static void failure(ApplicationContextRunner runner, Consumer<FailureAnalysis> check) {
		runner.run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
				.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, new StandardEnvironment()),
						(factoryType, factoryName, failure) -> {
						})
				.stream()
				.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
				.filter((result) -> result != null)
				.findFirst()
				.orElseThrow(() -> new AssertionError("no analysis", context.getStartupFailure()));
			check.accept(analysis);
		});
	}

	static class BadDuration {

		@DistributedLock(waitTime = "10 bananas")
		public void run() {
		}

	}

	static class BadExpression {

		@DistributedLock(key = "#ordr")
		public void run(String order) {
		}

	}

}
