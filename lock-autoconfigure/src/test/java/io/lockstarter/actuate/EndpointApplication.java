package io.lockstarter.actuate;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigRegistry;
import org.springframework.web.context.ConfigurableWebApplicationContext;

/**
 * A web application that exposes the endpoint, for several tests.
 */
final class EndpointApplication {

	private static final List<Class<?>> CONFIGURATIONS = List.of(JacksonAutoConfiguration.class,
			HttpMessageConvertersAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class, EndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
			WebEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
			LockActuateAutoConfiguration.class);

	private EndpointApplication() {
	}

	/**
	 * Start an application.
	 * @param <C> the type of its context
	 * @param context its context, with the beans of the test
	 * @param more further auto-configurations
	 * @param properties further properties, as {@code name=value}
	 * @return the context
	 */
	static <C extends ConfigurableWebApplicationContext & AnnotationConfigRegistry> C start(C context,
			List<Class<?>> more, String... properties) {
		TestPropertyValues.of("management.endpoints.web.exposure.include=locks")
			.and(Arrays.stream(properties))
			.applyTo(context);
		Class<?>[] all = Stream.concat(CONFIGURATIONS.stream(), more.stream()).toArray(Class<?>[]::new);
		context.register(Configurations.getClasses(AutoConfigurations.of(all)));
		context.refresh();
		return context;
	}

}
