package io.lockstarter.dashboard;

import java.time.Clock;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration for the page that shows locks. Where it is served is up to
 * {@link ServletDashboardConfiguration} and {@link ReactiveDashboardConfiguration}.
 */
@AutoConfiguration(after = LockActuateAutoConfiguration.class, before = ManagementContextAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnBean(LocksEndpoint.class)
@ImportRuntimeHints(DashboardRuntimeHints.class)
public final class DashboardAutoConfiguration {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	@Bean
	Troubles lockDashboardTroubles() {
		return new Troubles(Clock.systemUTC());
	}

	@Bean
	Dashboard lockDashboard(LocksEndpoint endpoint, ObjectProvider<ForceReleaseOperation> releases, Troubles troubles,
			DistributedLockProperties properties, EndpointAccessResolver access,
			ObjectProvider<EndpointJsonMapper> mapper, ApplicationContext context) {
		return new Dashboard(properties.dashboard().path(), new DashboardData(endpoint, troubles, Clock.systemUTC()),
				releases.getIfAvailable(), LoginRule.by(context.getClassLoader()),
				() -> access.accessFor(LOCKS, Access.READ_ONLY), mapper.getIfAvailable(() -> JsonMapper::shared));
	}

}
