package io.lockstarter.autoconfigure;

import io.lockstarter.core.LockMonitor;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for the observation of locks: Micrometer's meters and observations,
 * and the JDK's Flight Recorder, each if it is present.
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration" })
@ConditionalOnBean(LockMonitor.class)
// Observations of the application come first: without them, the meters have their own.
@Import({ LockObservationConfigurations.Observations.class, LockObservationConfigurations.Meters.class,
		LockObservationConfigurations.ContextPropagation.class, LockObservationConfigurations.FlightRecorder.class,
		LockObservationConfigurations.Warnings.class })
public final class LockObservationAutoConfiguration {

}
