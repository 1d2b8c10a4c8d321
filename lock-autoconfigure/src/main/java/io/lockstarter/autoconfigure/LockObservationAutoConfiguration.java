package io.lockstarter.autoconfigure;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.observation.LockGauges;
import io.lockstarter.observation.LockMeters;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the meters of locks.
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, LockMonitor.class })
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMeters lockMeters(MeterRegistry registry) {
		return new LockMeters(registry);
	}

	@Bean
	@ConditionalOnMissingBean
	LockGauges lockGauges(LockMonitor monitor) {
		return new LockGauges(monitor);
	}

}
