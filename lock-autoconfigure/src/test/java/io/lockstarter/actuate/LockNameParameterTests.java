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
import java.util.List;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the endpoint with names that a web server does not let through in a path.
 */
class LockNameParameterTests {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private static AnnotationConfigServletWebServerApplicationContext application;

	@BeforeAll
	static void start() {
		application = EndpointApplication.start(new AnnotationConfigServletWebServerApplicationContext(),
				List.of(TomcatServletWebServerAutoConfiguration.class, LockAutoConfiguration.class), "server.port=0",
				"management.endpoint.locks.access=UNRESTRICTED", "distributed-lock.endpoint.force-release=true",
				"distributed-lock.backend=in-memory");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "billing\\:eu:42", "url:http://shop/1", "order;v=1", "100%", "a,b", "/a/", "größe 1+1&2",
			"../a" })
	void showsALockAndTakesItAway(String name) throws Exception {
		String parameter = "?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
		LockRegistry registry = application.getBean(LockRegistry.class);
		try (LockHandle other = registry.acquire(LockRequest.of("other"))) {
			LockHandle lock = registry.acquire(LockRequest.of(name));
			String shown = "\"name\":\"%s\"".formatted(name.replace("\\", "\\\\"));
			assertThat(send("GET", parameter).body()).contains(shown).doesNotContain("other");
			assertThat(send("GET", parameter + "&scope=cluster").body()).contains(shown).doesNotContain("other");
			HttpResponse<String> released = send("DELETE", parameter);
			assertThat(released.statusCode()).isEqualTo(200);
			assertThat(released.body()).contains(shown);
			await().until(() -> !lock.isValid());
			assertThat(other.isValid()).isTrue();
			for (String gone : new String[] { parameter, parameter + "&scope=cluster" }) {
				assertThat(send("GET", gone).statusCode()).isEqualTo(404);
			}
			assertThat(send("DELETE", parameter).statusCode()).isEqualTo(404);
		}
	}

	@Test
	void findsNoSuchLockByItsPath() throws Exception {
		assertThat(send("GET", "/billing%5C:eu:42").statusCode()).isEqualTo(400);
		assertThat(send("DELETE", "/billing%5C:eu:42").statusCode()).isEqualTo(400);
		assertThat(send("DELETE", "/url:http://shop/1").body()).contains("url:http:/shop/1");
	}

	private static HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
		URI address = URI.create("http://localhost:" + application.getWebServer().getPort() + "/actuator/locks" + path);
		return HTTP.send(HttpRequest.newBuilder(address).method(method, BodyPublishers.noBody()).build(),
				BodyHandlers.ofString());
	}

}
