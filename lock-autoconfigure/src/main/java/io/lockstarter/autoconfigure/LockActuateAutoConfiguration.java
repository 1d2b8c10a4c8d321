package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.LockHealthIndicator;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.actuate.RecentRefusals;
import io.lockstarter.core.LockMonitor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the endpoint and the health of locks, each if the application
 * has Spring Boot's module for it.
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = "org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration")
@ConditionalOnBean(LockMonitor.class)
public final class LockActuateAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
	@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
	@EnableConfigurationProperties(LocksEndpointProperties.class)
	static final class EndpointConfiguration {

		// Lazy for tests, in which a mock of the registry may have replaced the monitor.
		@Bean
		@ConditionalOnMissingBean
		LocksEndpoint locksEndpoint(@Lazy LockMonitor monitor, LocksEndpointProperties properties,
				ObjectProvider<SanitizingFunction> sanitizingFunctions, ObjectProvider<LockRegistries> several,
				RecentRefusals refusals) {
			return new LocksEndpoint(monitor, monitors(several, monitor),
					new Sanitizer(sanitizingFunctions.orderedStream().toList()), properties.showValues(),
					properties.roles(), refusals);
		}

		@Bean
		@ConditionalOnMissingBean
		RecentRefusals lockRecentRefusals() {
			return new RecentRefusals();
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnLockFeature(LockFeature.FORCE_RELEASE)
		ForceReleaseOperation locksForceReleaseOperation(@Lazy LockMonitor monitor, ApplicationEventPublisher publisher,
				ObjectProvider<LockRegistries> several) {
			return new ForceReleaseOperation(monitor, monitors(several, monitor), publisher);
		}

		private static Map<String, LockMonitor> monitors(ObjectProvider<LockRegistries> several, LockMonitor main) {
			LockRegistries registries = several.getIfAvailable();
			return (registries != null) ? registries.monitors(main) : Map.of();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
	@ConditionalOnEnabledHealthIndicator("distributed-lock")
	static final class HealthConfiguration {

		// The monitor replies in bounded time. This timeout is a safeguard: 5 s.
		private static final Duration TIMEOUT = Duration.ofSeconds(5);

		@Bean
		@ConditionalOnMissingBean(value = LockRegistries.class,
				name = { "distributedLockHealthIndicator", "distributedLockHealthContributor" })
		@Nullable LockHealthIndicator distributedLockHealthIndicator(ObjectProvider<LockMonitor> monitors) {
			LockMonitor monitor = monitors.getIfAvailable();
			return (monitor != null) ? new LockHealthIndicator(monitor, TIMEOUT) : null;
		}

		@Bean
		@ConditionalOnBean(LockRegistries.class)
		@ConditionalOnMissingBean(name = { "distributedLockHealthIndicator", "distributedLockHealthContributor" })
		CompositeHealthContributor distributedLockHealthContributor(@Lazy LockMonitor monitor,
				LockRegistries registries) {
			return CompositeHealthContributor.fromMap(registries.monitors(monitor),
					(each) -> new LockHealthIndicator(each, TIMEOUT));
		}

	}

}
