package io.lockstarter.dashboard;

import jakarta.servlet.http.HttpServlet;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * Configuration that serves the page in servlet applications, on the port of the
 * management endpoints.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(HttpServlet.class)
@ConditionalOnBean(Dashboard.class)
public final class ServletDashboardConfiguration {

	@Bean
	ServletRegistrationBean<DashboardServlet> lockDashboardServlet(Dashboard dashboard) {
		return new ServletRegistrationBean<>(new DashboardServlet(dashboard), dashboard.path() + "/*");
	}

}
