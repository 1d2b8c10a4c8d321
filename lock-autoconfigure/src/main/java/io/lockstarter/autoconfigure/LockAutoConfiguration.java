package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for distributed locks. Starts without asking the backend: one that
 * cannot be reached fails the first lock, not the application.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnLockChoice(LockChoice.LOCKS)
@EnableConfigurationProperties(DistributedLockProperties.class)
// Backends first: they back off from a registry of the user, not from ours.
@Import({ LockBackendConfigurations.Quorum.class, LockBackendConfigurations.Redis.class,
		LockBackendConfigurations.Reconnection.class, LockBackendConfigurations.InMemory.class,
		LockFenceConfiguration.class, LockRegistryConfiguration.class, LockAspectConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	static DurationPropertyCheck durationPropertyCheck() {
		return new DurationPropertyCheck();
	}

}
