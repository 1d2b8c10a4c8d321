package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.Locale;

import io.lockstarter.aop.LockAdvisor;
import io.lockstarter.autoconfigure.LockStartupReport.Findings;
import io.lockstarter.core.Credentials;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.RedisServerInfo;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.redis.quorum.QuorumLockBackend;
import io.lockstarter.redis.quorum.QuorumSettings;
import io.lockstarter.redis.quorum.TlsOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Configurations of the backends, of which one applies.
 */
final class LockBackendConfigurations {

	private LockBackendConfigurations() {
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFeature(LockFeature.REDIS)
	@Conditional(OnQuorumNodesCondition.class)
	@ConditionalOnClass(RedisConnectionFactory.class)
	@ConditionalOnMissingBean({ LockBackend.class, LockRegistry.class })
	static class Quorum {

		@Bean
		QuorumLockBackend quorumLockBackend(DistributedLockProperties properties, ObjectProvider<SslBundles> bundles,
				ApplicationContext context) {
			return backend("distributed-lock.quorum.", properties, bundles, context);
		}

		/**
		 * Creates the backend of a registry.
		 * @param prefix the prefix of its quorum properties
		 */
		static QuorumLockBackend backend(String prefix, DistributedLockProperties properties,
				ObjectProvider<SslBundles> bundles, ApplicationContext context) {
			if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", context.getClassLoader())) {
				throw new LockSetupException(
						"Distributed locks are configured for a quorum of Redis servers, but Lettuce is not on the class"
								+ " path.",
						"Add the dependency io.lettuce:lettuce-core, or remove %snodes to keep locks in a single Redis."
							.formatted(prefix));
			}
			String bundle = properties.quorum().ssl().bundle();
			return new QuorumLockBackend(properties.quorum().settings(properties),
					(bundle != null) ? tls(prefix, bundle, bundles.getIfAvailable()) : null);
		}

		private static TlsOptions tls(String prefix, String name, @Nullable SslBundles bundles) {
			if (bundles == null || !bundles.getBundleNames().contains(name)) {
				String shown = Credentials.masked(name);
				throw new LockSetupException(
						"%sssl.bundle is '%s', but there is no SSL bundle of that name.".formatted(prefix, shown),
						"Define it by spring.ssl.bundle.pem.%1$s or spring.ssl.bundle.jks.%1$s, or name one of %2$s."
							.formatted(shown, (bundles != null) ? bundles.getBundleNames() : List.of()));
			}
			SslBundle bundle = bundles.getBundle(name);
			return new TlsOptions(bundle.getManagers().getKeyManagerFactory(),
					bundle.getManagers().getTrustManagerFactory(), listOf(bundle.getOptions().getEnabledProtocols()),
					listOf(bundle.getOptions().getCiphers()));
		}

		private static List<String> listOf(String @Nullable [] values) {
			return (values != null) ? List.of(values) : List.of();
		}

		@Bean
		LockStartupReport lockStartupReport(DistributedLockProperties properties, ObjectProvider<LockAdvisor> advisor) {
			return new LockStartupReport(properties, advisor, () -> findings(properties));
		}

		static Findings findings(DistributedLockProperties properties) {
			QuorumSettings settings = properties.quorum().settings(properties);
			return new Findings(String.format(Locale.ROOT, "a quorum of %d Redis servers", settings.nodes().size()),
					List.of());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFeature(LockFeature.REDIS)
	@ConditionalOnClass(RedisConnectionFactory.class)
	@ConditionalOnMissingBean({ LockBackend.class, LockRegistry.class })
	static class Redis {

		/** Name or qualifier of the connection factory that is used for locks only. */
		static final String OWN = "distributedLockConnectionFactory";

		@Bean
		RedisLockBackend redisLockBackend(@Qualifier(OWN) ObjectProvider<RedisConnectionFactory> own,
				ObjectProvider<RedisConnectionFactory> shared, BeanFactory beanFactory,
				DistributedLockProperties properties) {
			return backend(choose(own, shared, beanFactory), properties);
		}

		static RedisLockBackend backend(RedisConnectionFactory connectionFactory,
				DistributedLockProperties properties) {
			Replication replication = new Replication(properties.replication().minReplicas(),
					properties.replication().timeout());
			try {
				return new RedisLockBackend(connectionFactory, properties.keyPrefix(),
						properties.lateCommandRetention(), replication);
			}
			catch (IllegalStateException ex) {
				throw new LockSetupException("Distributed locks cannot work with this Redis connection.",
						String.valueOf(ex.getMessage()));
			}
		}

		private static RedisConnectionFactory choose(ObjectProvider<RedisConnectionFactory> own,
				ObjectProvider<RedisConnectionFactory> shared, BeanFactory beanFactory) {
			RedisConnectionFactory chosen = own.getIfAvailable();
			if (chosen == null && beanFactory.containsBean(OWN)) {
				// The bean is not a default candidate, so only its name finds it.
				chosen = beanFactory.getBean(OWN, RedisConnectionFactory.class);
			}
			if (chosen == null) {
				chosen = only(shared);
			}
			if (chosen == null) {
				throw new LockSetupException(
						"Distributed locks are configured for Redis, but there is no RedisConnectionFactory bean.",
						"Let Spring Boot configure Redis (look for an exclusion of DataRedisAutoConfiguration, and for the"
								+ " client that spring.data.redis.client-type names, Lettuce, io.lettuce:lettuce-core, or"
								+ " Jedis, redis.clients:jedis: it must be on the class path), define a"
								+ " RedisConnectionFactory bean, or set distributed-lock.backend=in-memory for tests and"
								+ " single instances.");
			}
			return chosen;
		}

		private static @Nullable RedisConnectionFactory only(ObjectProvider<RedisConnectionFactory> shared) {
			try {
				return shared.getIfAvailable();
			}
			catch (NoUniqueBeanDefinitionException ex) {
				throw new LockSetupException(
						"Distributed locks are configured for Redis, but there are several RedisConnectionFactory beans, and none is primary: %s."
							.formatted(
									(ex.getBeanNamesFound() != null) ? String.join(", ", ex.getBeanNamesFound()) : ""),
						"Select the one that locks use: give that bean the name or the @Qualifier %s, or make it @Primary."
							.formatted(OWN));
			}
		}

		@Bean
		LockStartupReport lockStartupReport(ObjectProvider<RedisLockBackend> backend,
				DistributedLockProperties properties, ObjectProvider<LockAdvisor> advisor) {
			return new LockStartupReport(properties, advisor, () -> survey(backend.getObject()));
		}

		static Findings survey(RedisLockBackend backend) {
			// A connection of other components does not imply that locks can be acquired.
			backend.connect().join();
			RedisServerInfo survey = backend.serverInfo();
			String address = backend.address();
			return new Findings(address.isEmpty() ? survey.description() : address + ", " + survey.description(),
					survey.warnings());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFeature(LockFeature.IN_MEMORY)
	@ConditionalOnMissingBean({ LockBackend.class, LockRegistry.class })
	static class InMemory {

		@Bean
		@ConditionalOnMissingBean
		InMemoryLockStore inMemoryLockStore() {
			return new InMemoryLockStore();
		}

		@Bean
		InMemoryLockBackend inMemoryLockBackend(InMemoryLockStore store) {
			return new InMemoryLockBackend(store);
		}

		@Bean
		LockStartupReport lockStartupReport(DistributedLockProperties properties, ObjectProvider<LockAdvisor> advisor) {
			return new LockStartupReport(properties, advisor, () -> Findings.IN_MEMORY);
		}

	}

}
