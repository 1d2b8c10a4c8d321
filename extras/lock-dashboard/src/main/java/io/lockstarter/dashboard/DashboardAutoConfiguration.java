package io.lockstarter.dashboard;

import java.time.Clock;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import io.lockstarter.core.backend.LockBackend;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for the page that shows locks. Where it is served is up to
 * {@link ServletDashboardConfiguration} and {@link ReactiveDashboardConfiguration}. An
 * application that serves nothing reports its locks to the pages of others.
 */
@AutoConfiguration(after = LockActuateAutoConfiguration.class, before = ManagementContextAutoConfiguration.class)
@ConditionalOnBean(LocksEndpoint.class)
@ImportRuntimeHints(DashboardRuntimeHints.class)
public final class DashboardAutoConfiguration {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	@Bean
	Troubles lockDashboardTroubles() {
		return new Troubles(Clock.systemUTC());
	}

	@Bean
	ClusterWatches lockDashboardWatches(LocksEndpoint endpoint, Troubles troubles, ObjectProvider<LockBackend> only,
			BeanFactory beans, Environment environment) {
		return new ClusterWatches(endpoint, only, beans, troubles,
				environment.getProperty("spring.application.version"));
	}

	@Bean
	@ConditionalOnWebApplication
	Dashboard lockDashboard(LocksEndpoint endpoint, ObjectProvider<ForceReleaseOperation> releases,
			ClusterWatches watches, DistributedLockProperties properties, EndpointAccessResolver access,
			ObjectProvider<EndpointJsonMapper> mapper, ApplicationContext context) {
		Limits limits = Limits.of(properties.warn().waitTime(), properties.warn().holdTime());
		return new Dashboard(properties.dashboard().path(),
				new DashboardData(endpoint, watches, limits, System::nanoTime), releases.getIfAvailable(),
				LoginRule.by(context.getClassLoader()), () -> access.accessFor(LOCKS, Access.READ_ONLY),
				mapper.getIfAvailable(() -> JsonMapper::shared));
	}

	@Bean
	@ConditionalOnWebApplication
	DashboardAnnouncement lockDashboardAnnouncement(Dashboard dashboard) {
		return new DashboardAnnouncement(dashboard);
	}

}
