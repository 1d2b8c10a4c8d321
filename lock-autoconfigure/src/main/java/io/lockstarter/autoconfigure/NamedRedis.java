package io.lockstarter.autoconfigure;

import io.lockstarter.autoconfigure.LockStartupReport.Findings;
import io.lockstarter.core.Credentials;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.RedisLockBackend;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Redis of a further registry. Loaded only if Spring Data Redis is present.
 */
final class NamedRedis {

	private NamedRedis() {
	}

	static LockBackend backend(String registry, @Nullable String connectionFactory, ApplicationContext beans,
			DistributedLockProperties properties) {
		String prefix = "distributed-lock.registries.%s.".formatted(registry);
		String property = prefix + "connection-factory";
		if (properties.quorum().nodes() != null) {
			if (connectionFactory != null) {
				throw new LockSetupException(
						"The lock registry '%s' has two places for its locks: %s and %squorum.nodes are both set."
							.formatted(registry, property, prefix),
						"Remove one of them: a quorum has connections of its own.");
			}
			return LockBackendConfigurations.Quorum.backend(prefix + "quorum.", properties,
					beans.getBeanProvider(SslBundles.class), beans);
		}
		String[] known = beans.getBeanNamesForType(RedisConnectionFactory.class);
		if (connectionFactory == null || !beans.containsBean(connectionFactory)
				|| !beans.isTypeMatch(connectionFactory, RedisConnectionFactory.class)) {
			throw new LockSetupException(
					"The lock registry '%s' has no Redis: %s".formatted(registry,
							(connectionFactory == null) ? property + " is not set."
									: "%s is '%s', but there is no RedisConnectionFactory bean of that name."
										.formatted(property, Credentials.masked(connectionFactory))),
					"Set %s to the name of a RedisConnectionFactory bean. There %s: define one for this registry with @Bean(defaultCandidate = false), which leaves the others as they are."
						.formatted(property, (known.length > 0) ? "are " + String.join(", ", known) : "is none"));
		}
		return LockBackendConfigurations.Redis.backend(beans.getBean(connectionFactory, RedisConnectionFactory.class),
				properties);
	}

	static Findings survey(LockBackend backend, DistributedLockProperties properties) {
		return (properties.quorum().nodes() != null) ? LockBackendConfigurations.Quorum.findings(properties)
				: LockBackendConfigurations.Redis.survey((RedisLockBackend) backend);
	}

}
