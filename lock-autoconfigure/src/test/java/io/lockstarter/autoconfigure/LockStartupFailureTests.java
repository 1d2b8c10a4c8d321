package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
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
					wait-time=8761h             | distributed-lock.wait-time must be at least 0s and at most 365d but is 31539600s
					late-command-retention=0         | distributed-lock.late-command-retention must be at least 1s and at most 365d but is 0s
					replication.timeout=0       | distributed-lock.replication.timeout must be at least 1ms and at most 365d but is 0s
					replication.min-replicas=-1 | distributed-lock.replication.min-replicas must not be negative but is -1
					shutdown.drain-timeout=-2s  | distributed-lock.shutdown.drain-timeout must be at least 0s and at most 365d but is -2s
					key-prefix=my{lock}:        | distributed-lock.key-prefix must consist of letters, digits and _ : . / - and not begin with - but is 'my{lock}:'
					key-prefix=my lock:         | distributed-lock.key-prefix must consist of letters, digits and _ : . / - and not begin with - but is 'my lock:'
					key-prefix=-lock:           | distributed-lock.key-prefix must consist of letters, digits and _ : . / - and not begin with - but is '-lock:'
					""")
	void namesPropertyOutOfRange(String property, String reason) {
		String[] setting = property.split("=");
		failure(this.runner.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock." + property),
				(analysis) -> assertThat(analysis.getDescription()).contains(reason)
					.contains("Property: distributed-lock." + setting[0], "Value: \"" + setting[1] + "\"",
							"Origin: \"distributed-lock.%s\" from property source \"test\"".formatted(setting[0])));
	}

	@Test
	void tellsWhereThePropertyOutOfRangeIsSet() {
		failure(this.runner.withInitializer(file("""
				distributed-lock:
				  wait-time: 1s
				  lease-time: 0
				""")), (analysis) -> assertThat(analysis.getDescription()).isEqualToNormalizingNewlines("""
				Distributed locks cannot be set up:

				    Property: distributed-lock.lease-time
				    Value: "0"
				    Origin: Byte array resource [resource loaded from byte array] - 3:15
				    Reason: distributed-lock.lease-time must be at least 100ms and at most 365d but is 0s"""));
		failure(this.runner.withInitializer(variable("DISTRIBUTEDLOCK_LEASETIME", "0")),
				(analysis) -> assertThat(analysis.getDescription()).contains("Value: \"0\"",
						"Origin: \"DISTRIBUTEDLOCK_LEASETIME\" from property source \"systemEnvironment\""));
	}

	@Test
	void tellsWhereAPropertyOfAFurtherRegistryIsSet() {
		failure(this.runner.withInitializer(file("""
				distributed-lock:
				  backend: in-memory
				  lease-time: 3s
				  registries:
				    billing:
				      replication:
				        min-replicas: 1
				        timeout: 700ms
				""")), (analysis) -> {
			assertThat(analysis.getDescription()).startsWith("The lock registry 'billing' cannot be set up:")
				.contains("Property: distributed-lock.registries.billing.replication.timeout", "Value: \"700ms\"",
						"- 8:18", "Property: distributed-lock.lease-time", "Value: \"3s\"", "- 3:15");
			assertThat(analysis.getAction())
				.contains("is inherited from distributed-lock, except for replication and quorum.");
		});
		failure(this.runner.withPropertyValues("distributed-lock.backend=in-memory",
				"distributed-lock.replication.timeout=400ms", "distributed-lock.registries.billing.lease-time=3s",
				"distributed-lock.registries.billing.replication.min-replicas=1"),
				(analysis) -> assertThat(analysis.getDescription())
					.contains("Property: distributed-lock.registries.billing.lease-time")
					.doesNotContain("Property: distributed-lock.replication.timeout"));
		failure(this.runner.withPropertyValues("distributed-lock.backend=in-memory",
				"distributed-lock.registries.billing.replication.min-replicas=-1"),
				(analysis) -> assertThat(analysis.getDescription()).contains(
						"Property: distributed-lock.registries.billing.replication.min-replicas",
						"Reason: distributed-lock.registries.billing.replication.min-replicas must not be negative but is -1"));
	}

	@Test
	void doesNotTellThePasswordsOfAQuorum() {
		failure(this.runner.withInitializer(file("""
				distributed-lock:
				  quorum:
				    nodes:
				    - redis://shop:tiger@cat@localhost:1
				    - redis://shop:tiger@localhost:2
				""")),
				(analysis) -> assertThat(analysis.getDescription())
					.contains("Property: distributed-lock.quorum.nodes[0]", "Value: \"redis://***@localhost:1\"",
							"- 4:7")
					.doesNotContain("tiger"));
	}

	/** Whatever is set to a URI by mistake, or to one that is none. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					quorum.nodes=locks:tiger@h:1,redis://b,redis://c            | nodes[0] must be redis://host:port | '***@h:1'
					quorum.nodes=redis://a,//locks:tiger@h,redis://c            | nodes[1] must be redis://host:port | '***@h'
					quorum.nodes=redis://locks:tiger@h:1/abc,redis://b,redis://c | nodes[0] must be redis://host:port | 'redis://***@h:1/abc'
					quorum.nodes=redis://locks:tiger@h:1/-1,redis://b,redis://c | nodes[0] must be redis://host:port | 'redis://***@h:1/-1'
					quorum.nodes=redis://locks:ti/ger@h:1,redis://b,redis://c   | nodes[0] must be redis://host:port | 'redis://***@h:1'
					quorum.nodes=rediss://a,redis://b,redis://c; quorum.ssl.bundle=rediss://locks:tiger@h | quorum.ssl.bundle | 'rediss://***@h'
					key-prefix=redis://locks:tiger@h:1/                         | distributed-lock.key-prefix        | 'redis://***@h:1/'
					quorum.nodes=redis://a,redis://b,redis://c; quorum.ssl.bundle=rediss://locks:tiger@h | quorum.ssl.bundle | 'rediss://***@h'
					dashboard.path=https://admin:tiger@h/locks                  | distributed-lock.dashboard.path    | 'https://***@h/locks'
					registries.b.connection-factory=redis://locks:tiger@h:1     | registries.b.connection-factory    | 'redis://***@h:1'
					registries.b.key-prefix=redis://locks:tiger@h:1; registries.b.connection-factory=c | registries.b.key-prefix | 'redis://***@h:1'
					registries.b.quorum.nodes=locks:tiger@h:1                   | registries.b.quorum.nodes[0]       | '***@h:1'
					""")
	void doesNotTellPasswordsInSettings(String settings, String property, String shown) {
		ApplicationContextRunner redis = this.runner
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues(
					Arrays.stream(settings.split("; ")).map("distributed-lock."::concat).toArray(String[]::new));
		failure(redis, (analysis) -> {
			assertThat(analysis.getDescription() + analysis.getAction()).contains(property, shown)
				.doesNotContain("tiger")
				.doesNotContain("ger@");
			for (Throwable cause = analysis.getCause(); cause != null; cause = cause.getCause()) {
				assertThat(cause.getMessage()).doesNotContain("tiger");
			}
		});
	}

	private static ApplicationContextInitializer<ConfigurableApplicationContext> file(String yaml) {
		return (context) -> {
			try {
				new YamlPropertySourceLoader()
					.load("application", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
					.forEach(context.getEnvironment().getPropertySources()::addFirst);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		};
	}

	private static ApplicationContextInitializer<ConfigurableApplicationContext> variable(String name, String value) {
		String source = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		return (context) -> context.getEnvironment()
			.getPropertySources()
			.replace(source, new SystemEnvironmentPropertySource(source, Map.of(name, value)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					min-replicas=1, timeout=500ms | lease-time=3s                              | distributed-lock.replication.timeout must be less than 500ms but is 500ms
					min-replicas=1, timeout=2s    | lease-time=30s                             | distributed-lock.replication.timeout must be less than 2s but is 2s
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
			backend=zookeeper    | distributed-lock.backend | zookeeper
			on-lost=panic        | distributed-lock.on-lost | panic
			enabled=ture         | distributed-lock.enabled | ture
			aspect.enabled=ture  | distributed-lock.aspect.enabled | ture
			aspect.mode=weave    | distributed-lock.aspect.mode | weave
			aspect.order=first   | distributed-lock.aspect.order | first
			release-after-transaction=perhaps | distributed-lock.release-after-transaction | perhaps
			""")
	void namesPropertyThatCannotBeConverted(String setting, String property, String value) {
		failure(this.runner.withPropertyValues("distributed-lock." + setting),
				(analysis) -> assertThat(analysis.getDescription()).contains("Property: " + property)
					.contains("Value: \"" + value + "\""));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			wait-time=10                        | wait-time
			wait-time=10 bananas                | wait-time
			lease-time=soon                     | lease-time
			max-hold-time=-1                    | max-hold-time
			lease-time=${lease}                 | lease-time
			late-command-retention=600000            | late-command-retention
			replication.timeout=500             | replication.timeout
			quorum.longest-lease=30000          | quorum.longest-lease
			shutdown.drain-timeout=20           | shutdown.drain-timeout
			warn.hold-time=1h30m                | warn.hold-time
			registries.billing.wait-time=10     | registries.billing.wait-time
			registries.billing.lease-time=never | registries.billing.lease-time
			""")
	void namesDurationWithoutAUnitOrThatIsNone(String setting, String property) {
		String value = setting.substring(setting.indexOf('=') + 1);
		failure(this.runner.withPropertyValues("lease=45", "distributed-lock.backend=in-memory",
				"distributed-lock." + setting),
				(analysis) -> assertThat(analysis.getDescription())
					.contains("Property: distributed-lock." + property, "Value: \"" + value + "\"")
					.containsPattern("Origin: \"distributed-lock." + property + "\" from property source \"test\"")
					.contains("Reason: distributed-lock." + property + " must be a number with its unit, such as 10s or"
							+ " 500ms, or an ISO 8601 duration, such as PT10S, but is '"
							+ value.replace("${lease}", "45") + "'"));
	}

	@Test
	void takesDurationsInEveryFormThatAnAnnotationTakes() {
		this.runner
			.withPropertyValues("distributed-lock.backend=in-memory", "distributed-lock.wait-time=0",
					"distributed-lock.lease-time=PT45S", "distributed-lock.max-hold-time= 2m ")
			.run((context) -> {
				DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
				assertThat(properties.waitTime()).isZero();
				assertThat(properties.leaseTime()).hasSeconds(45);
				assertThat(properties.maxHoldTime()).hasMinutes(2);
			});
	}

	@Test
	void explainsThatLocksCannotUseAStaticMasterWithReplicas() {
		failure(this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:1,localhost:2"), (analysis) -> {
				assertThat(analysis.getDescription())
					.isEqualTo("Distributed locks cannot work with this Redis connection.");
				assertThat(analysis.getAction()).contains("spring.data.redis.masterreplica.nodes",
						"distributedLockConnectionFactory");
			});
	}

	@Test
	void explainsMissingConnectionFactory() {
		failure(this.runner, (analysis) -> {
			assertThat(analysis.getDescription())
				.isEqualTo("Distributed locks are configured for Redis, but there is no RedisConnectionFactory bean.");
			assertThat(analysis.getAction()).contains("define a RedisConnectionFactory bean")
				.contains("distributed-lock.backend=in-memory");
		});
	}

	@ParameterizedTest
	@CsvSource({ "lettuce, io.lettuce, io.lettuce:lettuce-core", "jedis, redis.clients.jedis, redis.clients:jedis" })
	void explainsMissingClientLibrary(String type, String library, String artifact) {
		failure(this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(library))
			.withPropertyValues("spring.data.redis.client-type=" + type), (analysis) -> {
				assertThat(analysis.getDescription()).contains("there is no RedisConnectionFactory bean");
				assertThat(analysis.getAction()).contains(artifact, "spring.data.redis.client-type",
						"on the class path");
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
					"Distributed locks are configured for Redis, but Spring Data Redis is not on the class path.");
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

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					SkippedPrimitive  | onTimeout = SKIP has no value to return as int | Return Integer instead, which is null when skipped, or use onTimeout = THROW.
					SkippedSingle     | onTimeout = SKIP has no empty Single to return | Return a type that may be empty, or use onTimeout = THROW.
					UnknownFallback   | fallback = "busy" is not a method of           | Declare one with the same parameters, optionally followed by a LockAcquisitionTimeoutException.
					OtherFallback     | fallback = "busy" returns String and not Integer | Let both return the same type.
					FallbackAndSkip   | fallback = "busy" and onTimeout = SKIP cannot be combined | Remove one of them.
					NoSpel            | key = "#id +" is not a SpEL expression         | Write #name for a parameter and 'text' in quotes for a fixed text.
					NoSpelInCondition | condition = "#id ==" is not a SpEL expression  | Write #name for a parameter and 'text' in quotes for a fixed text.
					BareText          | key = "nightly": 'nightly' is unknown  | Write 'nightly' in quotes for a fixed text, or use one of #root.target, #root.method.
					BareParameter     | key = "id": 'id' is unknown            | Write #id for the parameter.
					ShortLease        | leaseTime = "99ms" must be at least 100ms and at most 365d but is 99ms | Omit it for a lease that is renewed while the method runs.
					NegativeWait      | waitTime = "-5s" must be at least 0s and at most 365d but is -5s | Use "0" to try once without waiting.
					EndlessWait       | waitTime = "366d" must be at least 0s and at most 365d but is 366d | Make it shorter.
					NoSuchPlaceholder | name = "${no.such}" has a placeholder that cannot be resolved | Define the property, or give a default as in "${my.property:10s}".
					KeptTooLong       | holdAtLeast = "10s" is longer than leaseTime = "10s" is valid for its holder (9898 ms) | Omit leaseTime for a lease that is renewed, or make it longer.
					NegativeKept      | holdAtLeast = "-1s" must be at least 0s and at most 365d but is -1s | Omit it for a lock that is released after the method.
					PrivateMethod     | a private method is not called through the bean's proxy and would run without the lock | Make it an overridable method of the bean, or remove the annotation.
					StaticMethod      | a static method is not called through the bean's proxy and would run without the lock | Make it an overridable method of the bean, or remove the annotation.
					FinalMethod       | a final method is not called through the bean's proxy and would run without the lock | Make it an overridable method of the bean, or remove the annotation.
					FinalClass        | FinalClass is final, and no proxy can extend it | Remove 'final' (records are final, and so are Kotlin classes that are not 'open').
					LateResult        | its result (FutureTask) is completed later, in a way that is not supported | Return a CompletionStage, CompletableFuture or Future, or with Reactor on the class path a Mono or Flux.
					""")
	void explainsMistakeInAnnotation(String mistake, String reason, String action) {
		Class<?> type = Arrays.stream(Mistakes.class.getDeclaredClasses())
			.filter((candidate) -> candidate.getSimpleName().equals(mistake))
			.findFirst()
			.orElseThrow();
		failure(withBean(type).withPropertyValues("spring.aop.proxy-target-class=true")
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class)), (analysis) -> {
				assertThat(analysis.getDescription()).startsWith("@DistributedLock cannot be applied to the method")
					.contains(type.getName() + ".run(")
					.contains(reason);
				assertThat(analysis.getAction()).isEqualTo(action);
			});
	}

	private ApplicationContextRunner withBean(Class<?> type) {
		return this.runner.withPropertyValues("distributed-lock.backend=in-memory").withBean(type);
	}

	/**
	 * Expects an application not to start, and checks what the user reads. All analyzers
	 * of the application analyze the failure, as in Boot.
	 */
	static void failure(ApplicationContextRunner runner, Consumer<FailureAnalysis> check) {
		AtomicReference<Environment> environment = new AtomicReference<>();
		runner.withInitializer((context) -> environment.set(context.getEnvironment())).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
				.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, environment.get()),
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

	/** Each with one mistake. */
	@SuppressWarnings("unused")
	static final class Mistakes {

		static class SkippedPrimitive {

			@DistributedLock(onTimeout = OnTimeout.SKIP)
			public int run() {
				return 1;
			}

		}

		static class SkippedSingle {

			@DistributedLock(onTimeout = OnTimeout.SKIP)
			public Single<String> run() {
				return Single.never();
			}

		}

		static class UnknownFallback {

			@DistributedLock(fallback = "busy")
			public void run(String id) {
			}

		}

		static class OtherFallback {

			@DistributedLock(fallback = "busy")
			public Integer run() {
				return 1;
			}

			String busy() {
				return "";
			}

		}

		static class FallbackAndSkip {

			@DistributedLock(fallback = "busy", onTimeout = OnTimeout.SKIP)
			public void run() {
			}

			void busy() {
			}

		}

		static class NoSpel {

			@DistributedLock(key = "#id +")
			public void run(String id) {
			}

		}

		static class NoSpelInCondition {

			@DistributedLock(condition = "#id ==")
			public void run(String id) {
			}

		}

		static class BareText {

			@DistributedLock(key = "nightly")
			public void run() {
			}

		}

		static class BareParameter {

			@DistributedLock(key = "id")
			public void run(String id) {
			}

		}

		static class ShortLease {

			@DistributedLock(leaseTime = "99ms")
			public void run() {
			}

		}

		static class NegativeWait {

			@DistributedLock(waitTime = "-5s")
			public void run() {
			}

		}

		static class EndlessWait {

			@DistributedLock(waitTime = "366d")
			public void run() {
			}

		}

		static class NoSuchPlaceholder {

			@DistributedLock(name = "${no.such}")
			public void run() {
			}

		}

		static class KeptTooLong {

			@DistributedLock(leaseTime = "10s", holdAtLeast = "10s")
			public void run() {
			}

		}

		static class NegativeKept {

			@DistributedLock(holdAtLeast = "-1s")
			public void run() {
			}

		}

		static class PrivateMethod {

			@DistributedLock
			private void run() {
			}

		}

		static class StaticMethod {

			@DistributedLock
			public static void run() {
			}

		}

		static class FinalMethod {

			@DistributedLock
			public final void run() {
			}

		}

		static final class FinalClass {

			@DistributedLock
			public void run() {
			}

		}

		static class LateResult {

			@DistributedLock
			public FutureTask<String> run() {
				return new FutureTask<>(() -> "");
			}

		}

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
