package io.lockstarter.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the endpoint with names that a web server does not let through in a path.
 */
class LockNameParameterTests {

	private final HttpClient http = HttpClient.newHttpClient();

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, TomcatServletWebServerAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
				EndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
				LockAutoConfiguration.class, LockActuateAutoConfiguration.class))
		.withPropertyValues("server.port=0", "management.endpoints.web.exposure.include=locks",
				"management.endpoint.locks.access=UNRESTRICTED", "distributed-lock.endpoint.force-release=true",
				"distributed-lock.backend=in-memory");

	@ParameterizedTest
	@ValueSource(strings = { "billing\\:eu:42", "url:http://shop/1", "order;v=1", "100%", "a,b", "/a/", "größe 1+1&2",
			"../a" })
	void showsALockAndTakesItAway(String name) {
		String parameter = "?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
		this.runner.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockHandle other = registry.acquire(LockRequest.of("other"));
			LockHandle lock = registry.acquire(LockRequest.of(name));
			String shown = "\"name\":\"%s\"".formatted(name.replace("\\", "\\\\"));
			assertThat(send(context, "GET", parameter).body()).contains(shown).doesNotContain("other");
			assertThat(send(context, "GET", parameter + "&scope=cluster").body()).contains(shown)
				.doesNotContain("other");
			HttpResponse<String> ousted = send(context, "DELETE", parameter);
			assertThat(ousted.statusCode()).isEqualTo(200);
			assertThat(ousted.body()).contains(shown);
			await().until(() -> !lock.isValid());
			assertThat(other.isValid()).isTrue();
			for (String gone : new String[] { parameter, parameter + "&scope=cluster" }) {
				assertThat(send(context, "GET", gone).statusCode()).isEqualTo(404);
			}
			assertThat(send(context, "DELETE", parameter).statusCode()).isEqualTo(404);
			other.close();
		});
	}

	@Test
	void findsNoSuchLockByItsPath() {
		this.runner.run((context) -> {
			assertThat(send(context, "GET", "/billing%5C:eu:42").statusCode()).isEqualTo(400);
			assertThat(send(context, "DELETE", "/billing%5C:eu:42").statusCode()).isEqualTo(400);
			assertThat(send(context, "DELETE", "/url:http://shop/1").body()).contains("url:http:/shop/1");
		});
	}

	private HttpResponse<String> send(AssertableWebApplicationContext context, String method, String path)
			throws IOException, InterruptedException {
		int port = context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class)
			.getWebServer()
			.getPort();
		URI address = URI.create("http://localhost:" + port + "/actuator/locks" + path);
		return this.http.send(HttpRequest.newBuilder(address).method(method, BodyPublishers.noBody()).build(),
				BodyHandlers.ofString());
	}

}
