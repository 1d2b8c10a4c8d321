package io.lockstarter.dashboard;

import java.time.Clock;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import io.lockstarter.core.backend.LockBackend;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.jackson.EndpointJsonMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration for the page that shows locks. {@link ServletDashboardConfiguration}
 * or {@link ReactiveDashboardConfiguration} serves the page. An application that is no
 * web application only reports its locks to other instances.
 */
@AutoConfiguration(after = LockActuateAutoConfiguration.class, before = ManagementContextAutoConfiguration.class)
@ConditionalOnBean(LocksEndpoint.class)
@ImportRuntimeHints(DashboardRuntimeHints.class)
public final class DashboardAutoConfiguration {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	@Bean
	IncidentRecorder lockDashboardIncidentRecorder() {
		return new IncidentRecorder(Clock.systemUTC());
	}

	@Bean
	ClusterWatches lockDashboardWatches(LocksEndpoint endpoint, IncidentRecorder recorder,
			ObjectProvider<LockBackend> singleBackend, ConfigurableApplicationContext context) {
		return new ClusterWatches(endpoint, singleBackend, context, recorder,
				context.getEnvironment().getProperty("spring.application.version"));
	}

	@Bean
	@ConditionalOnWebApplication
	Dashboard lockDashboard(LocksEndpoint endpoint, ObjectProvider<ForceReleaseOperation> forceRelease,
			ClusterWatches watches, DistributedLockProperties properties, EndpointAccessResolver access,
			ObjectProvider<EndpointJsonMapper> mapper, ApplicationContext context) {
		Limits limits = Limits.of(properties.warn().waitTime(), properties.warn().holdTime());
		return new Dashboard(properties.dashboard().path(),
				new DashboardData(endpoint, watches, limits, System::nanoTime), forceRelease.getIfAvailable(),
				LoginRule.of(context.getClassLoader()), () -> access.accessFor(LOCKS, Access.READ_ONLY),
				mapper.getIfAvailable(() -> JsonMapper::shared));
	}

	@Bean
	@ConditionalOnWebApplication
	DashboardAnnouncement lockDashboardAnnouncement(Dashboard dashboard) {
		return new DashboardAnnouncement(dashboard);
	}

}
