package io.lockstarter.autoconfigure;

import java.util.Map;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.observation.DefaultLockAcquireConvention;
import io.lockstarter.observation.DefaultLockHoldConvention;
import io.lockstarter.observation.LockAcquireConvention;
import io.lockstarter.observation.LockFlightRecorder;
import io.lockstarter.observation.LockGauges;
import io.lockstarter.observation.LockHoldConvention;
import io.lockstarter.observation.LockMeters;
import io.lockstarter.observation.LockObservationTimers;
import io.lockstarter.observation.LockObservations;
import io.lockstarter.observation.MeterInitializer;
import io.lockstarter.observation.PropagatedContext;
import io.lockstarter.observation.SlowLockWarnings;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;

/**
 * Configurations of the observation of locks, in the order of their conditions.
 */
final class LockObservationConfigurations {

	private LockObservationConfigurations() {
	}

	private static LockObservations observations(ObservationRegistry registry,
			ObjectProvider<LockAcquireConvention> acquireConvention,
			ObjectProvider<LockHoldConvention> holdConvention) {
		return new LockObservations(registry, acquireConvention.getIfAvailable(DefaultLockAcquireConvention::new),
				holdConvention.getIfAvailable(DefaultLockHoldConvention::new));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnBean(ObservationRegistry.class)
	static class Observations {

		@Bean
		@ConditionalOnMissingBean
		LockObservations lockObservations(ObservationRegistry registry,
				ObjectProvider<LockAcquireConvention> acquireConvention,
				ObjectProvider<LockHoldConvention> holdConvention) {
			return observations(registry, acquireConvention, holdConvention);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class Meters {

		@Bean
		@ConditionalOnMissingBean
		LockMeters lockMeters(MeterRegistry registry) {
			return new LockMeters(registry);
		}

		// This handler precedes Spring Boot's handler of all observations, because the
		// first handler that supports an observation creates its meters.
		@Bean
		@Order(0)
		@ConditionalOnMissingBean
		LockObservationTimers lockObservationTimers(MeterRegistry registry) {
			return new LockObservationTimers(registry);
		}

		// The observation registry is not a bean, because other auto-configurations would
		// use it.
		@Bean
		@ConditionalOnMissingBean
		LockObservations lockObservations(LockObservationTimers timers,
				ObjectProvider<LockAcquireConvention> acquireConvention,
				ObjectProvider<LockHoldConvention> holdConvention) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(timers);
			return observations(registry, acquireConvention, holdConvention);
		}

		// The monitor depends on the listeners, so it is lazy.
		@Bean
		@ConditionalOnMissingBean
		LockGauges lockGauges(MeterRegistry registry, @Lazy LockMonitor monitor,
				ObjectProvider<LockRegistries> several) {
			LockRegistries registries = several.getIfAvailable();
			return new LockGauges(registry, monitor, (registries != null) ? registries.monitors(monitor) : Map.of());
		}

		@Bean
		@ConditionalOnMissingBean
		MeterInitializer lockMeterInitializer(LockMeters counters, LockGauges gauges) {
			return new MeterInitializer(counters, gauges);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(DistributedLockProperties.class)
	static class Warnings {

		// No other bean depends on this one.
		@Bean(initMethod = "start")
		@Lazy(false)
		@ConditionalOnMissingBean
		@Nullable SlowLockWarnings slowLockWarnings(ObjectProvider<LockMonitor> monitors, DistributedLockProperties properties) {
			LockMonitor monitor = monitors.getIfAvailable();
			if (monitor == null) {
				return null;
			}
			return new SlowLockWarnings(monitor, properties.warn().thresholds());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ContextSnapshotFactory.class)
	static class ContextPropagation {

		@Bean
		@ConditionalOnMissingBean(CallerContext.class)
		PropagatedContext lockCallerContext(ObjectProvider<ContextSnapshotFactory> snapshots) {
			return new PropagatedContext(snapshots.getIfUnique(() -> ContextSnapshotFactory.builder().build()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "jdk.jfr.Event")
	static class FlightRecorder {

		@Bean
		@ConditionalOnMissingBean
		LockFlightRecorder lockFlightRecorder() {
			return new LockFlightRecorder();
		}

	}

}
