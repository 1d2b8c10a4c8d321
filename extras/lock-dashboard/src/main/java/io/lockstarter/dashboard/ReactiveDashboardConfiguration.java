package io.lockstarter.dashboard;

import java.util.Map;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;

/**
 * Configuration that serves the page in WebFlux applications, on the port of the
 * management endpoints.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(Dashboard.class)
public final class ReactiveDashboardConfiguration {

	/** Order after the application's own mappings and before static files. */
	private static final int ORDER = 10;

	@Bean
	SimpleUrlHandlerMapping lockDashboardHandlerMapping(Dashboard dashboard) {
		DashboardWebHandler handler = new DashboardWebHandler(dashboard);
		return new SimpleUrlHandlerMapping(Map.of(dashboard.path(), handler, dashboard.path() + "/**", handler), ORDER);
	}

}
