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
 * Who sees the page where Spring Security is on the class path.
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
	void asksForALogin(WebApplicationType type, CapturedOutput output) {
		try (Application application = Application.start(type, List.of(), USER)) {
			WebClient.Answer page = application.client().get("/distributed-locks/", "Accept", "text/html");
			assertThat(page.status()).isEqualTo(302);
			assertThat(page.header("Location")).endsWith("/login");
			assertThat(application.client().get("/distributed-locks/", "Authorization", ANN).text())
				.contains("<h1>Locks</h1>");
			assertThat(output).contains("Locks are shown at " + application.client().address()
					+ "/distributed-locks/ to those who have logged in");
		}
	}

	/** A browser would show a dialog of its own, again and again. */
	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void challengesNoBrowserToAskForAPassword(WebApplicationType type) {
		try (Application application = Application.start(type, List.of(), USER)) {
			for (String path : List.of("view", "lock?key=a", "csrf")) {
				WebClient.Answer answer = application.client().get("/distributed-locks/api/" + path, headers());
				assertThat(answer.status()).as(path).isEqualTo(401);
				assertThat(answer.header("WWW-Authenticate")).as(path).isEmpty();
			}
		}
	}

	/** The headers that the page sends. */
	private static String[] headers() {
		String script = new DashboardFiles().find("/poll.js", null).body();
		Matcher headers = HEADERS.matcher(script);
		assertThat(headers.find()).isTrue();
		return headers.group(1).replaceAll("[\" ]", "").split("[:,]");
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void showsThePageToNobodyWithoutALoginEvenWhereTheRulesForgetIt(WebApplicationType type) {
		try (Application application = Application.start(type,
				List.of((type == WebApplicationType.SERVLET) ? ForgetfulServlet.class : ForgetfulReactive.class),
				USER)) {
			for (String path : List.of("", "/", "/dashboard.js", "/api/view", "/api/lock?key=a", "/api/csrf")) {
				WebClient.Answer answer = application.client().get("/distributed-locks" + path);
				assertThat(answer.status()).as(path).isEqualTo(403);
				assertThat(answer.text()).startsWith("Log in");
			}
			assertThat(application.client()
				.send("DELETE", "/distributed-locks/api/lock?name=a", Dashboard.WRITE_HEADER, "release")
				.status()).isEqualTo(403);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void takesALockAwayInTheNameOfTheUserAndNeverForAForgedRequest(WebApplicationType type)
			throws InterruptedException {
		try (Application application = Application.start(type, List.of(), USER)) {
			WebClient client = application.client();
			LockHandle lock = application.locks().acquire(LockRequest.of("order:42"));
			assertThat(client.get("/distributed-locks/api/view", "Authorization", ANN).text())
				.as("a name, for those with the role")
				.contains("order:42");
			String path = "/distributed-locks/api/lock?name=order:42";
			assertThat(client.send("DELETE", path, "Authorization", ANN, Dashboard.WRITE_HEADER, "release").status())
				.as("without a token")
				.isIn(401, 403);
			assertThat(lock.isValid()).isTrue();
			Map<String, Object> csrf = client.get("/distributed-locks/api/csrf", "Authorization", ANN).json();
			WebClient.Answer answer = client.send("DELETE", path, "Authorization", ANN, Dashboard.WRITE_HEADER,
					"release", csrf.get("header").toString(), csrf.get("token").toString());
			assertThat(answer.status()).as(answer.text()).isEqualTo(200);
			assertThat(application.audited()).filteredOn((event) -> event.getType().startsWith("LOCK"))
				.singleElement()
				.extracting(AuditEvent::getPrincipal)
				.isEqualTo("ann");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	/**
	 * Rules that let everything pass.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ForgetfulServlet {

		@Bean
		SecurityFilterChain rules(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * Rules that let everything pass, for those without a name.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ForgetfulReactive {

		@Bean
		SecurityWebFilterChain rules(ServerHttpSecurity http) {
			return http.authorizeExchange((exchange) -> exchange.anyExchange().permitAll()).anonymous((anonymous) -> {
			}).csrf((csrf) -> csrf.disable()).build();
		}

	}

}
