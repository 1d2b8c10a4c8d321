package io.lockstarter.dashboard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who sees the page, and what may be done there, where there is no Spring Security.
 */
class DashboardAccessTests {

	private static final String[] MAY_RELEASE = { "distributed-lock.endpoint.force-release=true",
			"management.endpoint.locks.access=unrestricted" };

	private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]+)\"|from \"\\./([^\"]+)\"");

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void showsThePageWithoutAnyCodeOrProperty(WebApplicationType type) throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(type)) {
			WebClient client = application.client();
			assertThat(client.get("/distributed-locks").status()).isEqualTo(302);
			assertThat(client.get("/distributed-locks").header("Location")).isEqualTo("distributed-locks/");
			WebClient.Answer page = client.get("/distributed-locks/");
			assertThat(page.status()).isEqualTo(200);
			assertThat(page.header("Content-Type")).startsWith("text/html");
			assertThat(page.header("Content-Security-Policy")).startsWith("default-src 'none'; script-src 'self';")
				.doesNotContain("unsafe");
			assertThat(page.text()).contains("<h1>Locks</h1>").doesNotContain("<style", "style=", "onclick", "http");
			assertThat(client.get("/distributed-locks/nothing.js").status()).isEqualTo(404);
			assertThat(client.get("/actuator/locks").status()).as("the endpoint, which nobody exposed").isEqualTo(404);
			try (LockHandle lock = application.locks().acquire(LockRequest.of("order:42"))) {
				assertThat(client.get("/distributed-locks/api/instance").text())
					.contains("\"name\":\"order:42\"", "\"fencingToken\":\"" + lock.fencingToken() + "\"")
					.contains("\"mayRelease\":false");
				WebClient.Answer cluster = client.get("/distributed-locks/api/cluster");
				assertThat(cluster.json()).containsEntry("up", true)
					.extractingByKey("instance")
					.asString()
					.startsWith("shop-");
				assertThat(cluster.text()).contains("\"name\":\"order:42\"");
				assertThat(cluster.header("Cache-Control")).isEqualTo("no-store");
			}
		}
	}

	@Test
	void hasAllFilesThatThePageRefersTo() {
		TreeSet<String> named = new TreeSet<>(List.of("index.html"));
		DashboardFiles files = new DashboardFiles();
		DashboardFiles.NAMES.stream()
			.flatMap((name) -> REFERENCE.matcher(files.find("/" + name).body()).results())
			.map((MatchResult match) -> (match.group(1) != null) ? match.group(1) : match.group(2))
			.forEach(named::add);
		assertThat(named).containsExactlyInAnyOrderElementsOf(DashboardFiles.NAMES);
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void isOnTheManagementPortWhereThereIsOne(WebApplicationType type) {
		try (Application application = Application.startWithoutSecurity(type, "management.server.port=0",
				"distributed-lock.dashboard.path=/ops/locks")) {
			assertThat(application.managementClient().get("/ops/locks").header("Location")).isEqualTo("locks/");
			assertThat(application.managementClient().get("/ops/locks/").text()).contains("<h1>Locks</h1>");
			assertThat(application.managementClient().get("/ops/locks/api/instance").status()).isEqualTo(200);
			assertThat(application.client().get("/ops/locks/").status()).isEqualTo(404);
		}
	}

	@Test
	void isNotThereWhereTheEndpointIsNotAccessible() {
		for (String property : List.of("management.endpoint.locks.access=none",
				"management.endpoints.access.max-permitted=none", "management.endpoints.web.exposure.exclude=locks",
				"distributed-lock.enabled=false")) {
			try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, property)) {
				assertThat(application.client().get("/distributed-locks/").status()).as(property).isEqualTo(404);
			}
		}
	}

	@Test
	void hidesWhatTheEndpointHides() throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET,
				"management.endpoint.locks.show-values=never");
				LockHandle lock = application.locks().acquire(LockRequest.of("patient:smith"))) {
			assertThat(lock.isValid()).isTrue();
			Thread impatient = new Thread(() -> application.locks()
				.acquireAsync(LockRequest.of("patient:smith").waitTime(Duration.ofMillis(1)))
				.exceptionally((timeout) -> null)
				.join());
			impatient.start();
			impatient.join();
			CompletableFuture<LockHandle> patient = application.locks()
				.acquireAsync(LockRequest.of("patient:smith")
					.owner(LockOwner.create("patient"))
					.waitTime(LockRequest.FOREVER));
			assertThat(application.client().get("/distributed-locks/api/instance").text())
				.contains("TIMED_OUT", "******")
				.doesNotContain("smith");
			assertThat(application.client().get("/distributed-locks/api/cluster").text())
				.contains("\"name\":\"******\",\"holders\":", "\"waits\":[{\"name\":\"******\",\"group\":")
				.contains("\"owner\":\"patient#")
				.doesNotContain("smith");
			patient.cancel(true);
		}
	}

	@Test
	void refusesToWriteWithoutTheProperty() throws InterruptedException {
		for (String[] properties : new String[][] { {}, { MAY_RELEASE[0] }, { MAY_RELEASE[1] } }) {
			try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, properties);
					LockHandle lock = application.locks().acquire(LockRequest.of("order:42"))) {
				WebClient.Answer answer = application.client()
					.send("DELETE", "/distributed-locks/api/lock?name=order:42", Dashboard.WRITE_HEADER, "release");
				assertThat(answer.status()).isEqualTo(403);
				assertThat(answer.text()).contains("distributed-lock.endpoint.force-release=true");
				assertThat(lock.isValid()).isTrue();
			}
		}
	}

	@Test
	void showsOneOfSeveralRegistries() throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, MAY_RELEASE[0],
				MAY_RELEASE[1], "distributed-lock.registries.billing.key-prefix=billing:")) {
			WebClient client = application.client();
			LockHandle lock = application.locks().acquire(LockRequest.of("order:42"));
			assertThat(client.get("/distributed-locks/api/instance").json()).extractingByKey("registries")
				.asInstanceOf(InstanceOfAssertFactories.LIST)
				.containsExactly("default", "billing");
			for (String query : List.of("", "?registry=default")) {
				for (String path : List.of("instance", "cluster")) {
					assertThat(client.get("/distributed-locks/api/" + path + query).text()).contains("order:42");
				}
			}
			assertThat(client.get("/distributed-locks/api/instance?registry=billing").text())
				.doesNotContain("order:42");
			assertThat(client.get("/distributed-locks/api/cluster?registry=billing").text()).contains("\"locks\":[]");
			assertThat(client.get("/distributed-locks/api/cluster?registry=biling").status()).isEqualTo(400);
			for (String registry : List.of("billing", "default")) {
				WebClient.Answer answer = client.send("DELETE",
						"/distributed-locks/api/lock?name=order:42&registry=" + registry, Dashboard.WRITE_HEADER,
						"release");
				assertThat(answer.status()).isEqualTo(registry.equals("default") ? 200 : 404);
			}
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			await().untilAsserted(() -> assertThat(client.get("/distributed-locks/api/instance").text())
				.contains("LOST_FORCE_RELEASED"));
			assertThat(client.get("/distributed-locks/api/instance?registry=billing").text()).doesNotContain("LOST");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void takesALockAwayForThePageOnlyAndAuditsIt(WebApplicationType type) throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(type, MAY_RELEASE)) {
			WebClient client = application.client();
			String path = "/distributed-locks/api/lock?name=a%20b%2Fc%3F";
			LockHandle lock = application.locks().acquire(LockRequest.of("a b/c?"));
			assertThat(client.get("/distributed-locks/api/instance").json()).containsEntry("mayRelease", true);
			assertThat(client.send("DELETE", path).status()).as("without the header").isEqualTo(403);
			assertThat(client.send("DELETE", path, Dashboard.WRITE_HEADER, "release", "Sec-Fetch-Site", "cross-site")
				.status()).as("from another site").isEqualTo(403);
			assertThat(client.send("POST", path, Dashboard.WRITE_HEADER, "release").status()).isEqualTo(405);
			assertThat(lock.isValid()).isTrue();
			assertThat(application.audited()).isEmpty();
			WebClient.Answer answer = client.send("DELETE", path, Dashboard.WRITE_HEADER, "release", "Sec-Fetch-Site",
					"same-origin");
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.text()).contains("\"ousted\":[{\"owner\":\"shop-");
			assertThat(application.audited()).singleElement()
				.satisfies((event) -> assertThat(event.getType()).isEqualTo(ForceReleaseOperation.AUDIT_TYPE))
				.satisfies((event) -> assertThat(event.getData()).contains(Map.entry("lock", "a b/c?")));
			assertThat(client.send("DELETE", path, Dashboard.WRITE_HEADER, "release").status()).isEqualTo(404);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

}
