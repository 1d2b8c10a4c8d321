package io.lockstarter.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.fresh.FreshApplication;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/**
 * Application in this JVM, with locks in memory unless it has a Redis.
 */
final class Application implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

	private Application(ConfigurableApplicationContext context) {
		this.context = context;
		this.context.addApplicationListener(
				(ApplicationListener<AuditApplicationEvent>) (event) -> this.audited.add(event.getAuditEvent()));
	}

	/** Starts an application without Spring Security on its class path. */
	static Application startWithoutSecurity(WebApplicationType type, String... properties) {
		// Boot fails to choose one server if both Tomcat and Netty are on the class path
		String other = (type == WebApplicationType.REACTIVE) ? "org.apache.catalina" : "reactor.netty";
		return start(
				builder(type).resourceLoader(
						new DefaultResourceLoader(new FilteredClassLoader("org.springframework.security", other))),
				properties);
	}

	static Application start(WebApplicationType type, List<Class<?>> more, String... properties) {
		return start(builder(type).sources(more.toArray(Class<?>[]::new)), properties);
	}

	private static SpringApplicationBuilder builder(WebApplicationType type) {
		return new SpringApplicationBuilder(FreshApplication.class).web(type);
	}

	private static Application start(SpringApplicationBuilder builder, String... properties) {
		List<String> arguments = new ArrayList<>(
				List.of("server.port=0", "spring.application.name=shop", "spring.main.banner-mode=off"));
		arguments.addAll(List.of(properties));
		if (arguments.stream().noneMatch((property) -> property.startsWith("spring.data.redis."))) {
			arguments.add("distributed-lock.backend=in-memory");
		}
		return new Application(
				builder.run(arguments.stream().map((property) -> "--" + property).toArray(String[]::new)));
	}

	/** Stops the application without closing it, as before a checkpoint of the JVM. */
	void stop() {
		this.context.stop();
	}

	LockRegistry locks() {
		return this.context.getBean(LockRegistry.class);
	}

	WebClient client() {
		return client("local.server.port");
	}

	WebClient managementClient() {
		return client("local.management.port");
	}

	private WebClient client(String port) {
		return new WebClient("http://localhost:" + this.context.getEnvironment().getRequiredProperty(port));
	}

	List<AuditEvent> audited() {
		return this.audited;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
