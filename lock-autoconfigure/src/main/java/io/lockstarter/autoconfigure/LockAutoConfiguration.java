package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for distributed locks. The start does not depend on the backend: an
 * unreachable backend fails the first request for a lock, not the application.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnLockFeature(LockFeature.LOCKS)
@EnableConfigurationProperties(DistributedLockProperties.class)
// The backends come first, because they back off from a registry of the user, not from
// the auto-configured one.
@Import({ LockBackendConfigurations.Quorum.class, LockBackendConfigurations.Redis.class,
		LockBackendConfigurations.InMemory.class, LockFenceConfiguration.class, LockRegistryConfiguration.class,
		LockAspectConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	static DurationPropertyCheck durationPropertyCheck() {
		return new DurationPropertyCheck();
	}

}
