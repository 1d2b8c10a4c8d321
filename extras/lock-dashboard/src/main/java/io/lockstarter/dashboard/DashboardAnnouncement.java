package io.lockstarter.dashboard;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Announcement of the page in the log, with its address and with who can see it.
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
		boolean separate = !port.equals(serverPort);
		String server = separate ? "management.server" : "server";
		String base = environment.getProperty(separate ? "management.server.base-path" : "server.servlet.context-path",
				separate ? "" : environment.getProperty("spring.webflux.base-path", ""));
		logger.info("The lock dashboard is at %s://localhost:%s%s%s/ and %s".formatted(
				isTls(environment, server) ? "https" : "http", port, base, this.dashboard.path(),
				this.dashboard.requiresLogin() ? "requires a login"
						: "requires no login: everybody who can reach this port can see the locks"));
	}

	private static boolean isTls(Environment environment, String server) {
		return environment.getProperty(server + ".ssl.enabled", Boolean.class, true)
				&& (environment.containsProperty(server + ".ssl.bundle")
						|| environment.containsProperty(server + ".ssl.key-store")
						|| environment.containsProperty(server + ".ssl.certificate"));
	}

}
