package io.lockstarter.autoconfigure;

import io.lockstarter.adapter.IntegrationLockRegistry;
import io.lockstarter.adapter.ShedLockProvider;
import io.lockstarter.core.LockRegistry;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Auto-configuration for the locks of other libraries, each only if a property enables
 * it.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnBean(LockRegistry.class)
@EnableConfigurationProperties(DistributedLockProperties.class)
public final class LockAdapterAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFeature(LockFeature.SPRING_INTEGRATION)
	@ConditionalOnClass(DistributedLock.class)
	static final class IntegrationConfiguration {

		private static final String REGISTRY_KEY = "spring-integration";

		@Bean
		@ConditionalOnMissingBean(org.springframework.integration.support.locks.LockRegistry.class)
		IntegrationLockRegistry integrationLockRegistry(LockRegistry registry, DistributedLockProperties properties) {
			return new IntegrationLockRegistry(registry, REGISTRY_KEY, properties.leaseTime());
		}

		@Bean
		UnusedAdapterWarning unusedIntegrationLockRegistryWarning(ListableBeanFactory beans) {
			return new UnusedAdapterWarning(beans, "spring-integration",
					org.springframework.integration.support.locks.LockRegistry.class, IntegrationLockRegistry.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockFeature(LockFeature.SHEDLOCK)
	@ConditionalOnClass(LockProvider.class)
	static final class ShedLockConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockProvider.class)
		ShedLockProvider shedLockProvider(LockRegistry registry) {
			return new ShedLockProvider(registry);
		}

		@Bean
		UnusedAdapterWarning unusedShedLockProviderWarning(ListableBeanFactory beans) {
			return new UnusedAdapterWarning(beans, "shedlock", LockProvider.class, ShedLockProvider.class);
		}

	}

}
