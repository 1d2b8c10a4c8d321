package io.lockstarter.dashboard;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the access to the page with Spring Security on the class path.
 */
@ExtendWith(OutputCaptureExtension.class)
class DashboardLoginTests {

	private static final Pattern HEADERS = Pattern.compile("export const HEADERS = \\{([^}]+)}");

	private static final String[] USER = { "spring.security.user.name=ann", "spring.security.user.password=secret",
			"spring.security.user.roles=OPS", "distributed-lock.endpoint.force-release=true",
			"management.endpoint.locks.access=unrestricted", "management.endpoint.locks.show-values=when-authorized",
			"management.endpoint.locks.roles=OPS" };

	private static final String ANN = WebClient.basic("ann", "secret");

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void requiresLogin(WebApplicationType type, CapturedOutput output) {
		try (Application application = Application.start(type, List.of(), USER)) {
			WebClient.Response page = application.client().get("/distributed-locks/", "Accept", "text/html");
			assertThat(page.status()).isEqualTo(302);
			assertThat(page.header("Location")).endsWith("/login");
			assertThat(application.client().get("/distributed-locks/", "Authorization", ANN).text())
				.contains("<h1>Locks</h1>");
			assertThat(output).contains("The lock dashboard is at " + application.client().address()
					+ "/distributed-locks/ and requires a login");
		}
	}

	/** A challenge would make the browser show its password dialog at each request. */
	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void sendsNoPasswordChallengeToThePage(WebApplicationType type) {
		try (Application application = Application.start(type, List.of(), USER)) {
			for (String path : List.of("view", "lock?key=a", "csrf")) {
				WebClient.Response response = application.client().get("/distributed-locks/api/" + path, headers());
				assertThat(response.status()).as(path).isEqualTo(401);
				assertThat(response.header("WWW-Authenticate")).as(path).isEmpty();
			}
		}
	}

	/** Returns the headers that the page sends. */
	private static String[] headers() {
		String script = new DashboardFiles().find("/poll.js", null).body();
		Matcher headers = HEADERS.matcher(script);
		assertThat(headers.find()).isTrue();
		return headers.group(1).replaceAll("[\" ]", "").split("[:,]");
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void requiresLoginEvenIfApplicationPermitsAll(WebApplicationType type) {
		try (Application application = Application.start(type,
				List.of((type == WebApplicationType.SERVLET) ? PermissiveServlet.class : PermissiveReactive.class),
				USER)) {
			for (String path : List.of("", "/", "/dashboard.js", "/api/view", "/api/lock?key=a", "/api/csrf")) {
				WebClient.Response response = application.client().get("/distributed-locks" + path);
				assertThat(response.status()).as(path).isEqualTo(403);
				assertThat(response.text()).startsWith("Log in");
			}
			assertThat(application.client()
				.send("DELETE", "/distributed-locks/api/lock?name=a", Dashboard.WRITE_HEADER, "release")
				.status()).isEqualTo(403);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void releasesByForceForUserButNotForForgedRequest(WebApplicationType type) throws InterruptedException {
		try (Application application = Application.start(type, List.of(), USER)) {
			WebClient client = application.client();
			LockHandle lock = application.locks().acquire(LockRequest.of("order:42"));
			assertThat(client.get("/distributed-locks/api/view", "Authorization", ANN).text())
				.as("name shown to a user with the role")
				.contains("order:42");
			String path = "/distributed-locks/api/lock?name=order:42";
			assertThat(client.send("DELETE", path, "Authorization", ANN, Dashboard.WRITE_HEADER, "release").status())
				.as("without a token")
				.isIn(401, 403);
			assertThat(lock.isValid()).isTrue();
			Map<String, Object> csrf = client.get("/distributed-locks/api/csrf", "Authorization", ANN).json();
			WebClient.Response response = client.send("DELETE", path, "Authorization", ANN, Dashboard.WRITE_HEADER,
					"release", csrf.get("header").toString(), csrf.get("token").toString());
			assertThat(response.status()).as(response.text()).isEqualTo(200);
			assertThat(application.audited()).filteredOn((event) -> event.getType().startsWith("LOCK"))
				.singleElement()
				.extracting(AuditEvent::getPrincipal)
				.isEqualTo("ann");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	/**
	 * Rules that permit every request.
	 */
	@Configuration(proxyBeanMethods = false)
	static class PermissiveServlet {

		@Bean
		SecurityFilterChain rules(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * Rules that permit every request, also without a principal.
	 */
	@Configuration(proxyBeanMethods = false)
	static class PermissiveReactive {

		@Bean
		SecurityWebFilterChain rules(ServerHttpSecurity http) {
			return http.authorizeExchange((exchange) -> exchange.anyExchange().permitAll()).anonymous((anonymous) -> {
			}).csrf((csrf) -> csrf.disable()).build();
		}

	}

}
