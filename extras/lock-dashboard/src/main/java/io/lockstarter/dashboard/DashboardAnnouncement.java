package io.lockstarter.dashboard;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Tells in the log where the page is, and who can see it.
 */
final class DashboardAnnouncement implements ApplicationListener<ApplicationReadyEvent> {

	private static final Log logger = LogFactory.getLog(DashboardAnnouncement.class);

	private final Dashboard dashboard;

	DashboardAnnouncement(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		Environment environment = event.getApplicationContext().getEnvironment();
		String serverPort = environment.getProperty("local.server.port");
		String managementPort = environment.getProperty("local.management.port");
		String port = (managementPort != null) ? managementPort : serverPort;
		if (port == null || !this.dashboard.isServed()) {
			return;
		}
		boolean apart = !port.equals(serverPort);
		String server = apart ? "management.server" : "server";
		String base = environment.getProperty(apart ? "management.server.base-path" : "server.servlet.context-path",
				apart ? "" : environment.getProperty("spring.webflux.base-path", ""));
		logger.info("Locks are shown at %s://localhost:%s%s%s/ %s".formatted(
				isTls(environment, server) ? "https" : "http", port, base, this.dashboard.path(),
				this.dashboard.requiresLogin() ? "to those who have logged in"
						: "without a login: to everybody who can reach this port"));
	}

	private static boolean isTls(Environment environment, String server) {
		return environment.getProperty(server + ".ssl.enabled", Boolean.class, true)
				&& (environment.containsProperty(server + ".ssl.bundle")
						|| environment.containsProperty(server + ".ssl.key-store")
						|| environment.containsProperty(server + ".ssl.certificate"));
	}

}
