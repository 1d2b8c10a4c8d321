package io.lockstarter.dashboard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.RedisServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the access to the page without Spring Security on the class path.
 */
@ExtendWith(OutputCaptureExtension.class)
class DashboardAccessTests {

	private static final String[] MAY_RELEASE = { "distributed-lock.endpoint.force-release=true",
			"management.endpoint.locks.access=unrestricted" };

	private static final Pattern HIDDEN_KEY = Pattern.compile("\"key\":\"(h[^\"]+)\"");

	private static final Pattern INCIDENT = Pattern.compile("(?m)^([A-Z_]+): \"");

	private static final Pattern SECTION = Pattern.compile("\"((?:a|the)-[a-z-]+)\"");

	private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]+)\"|from \"\\./([^\"]+)\"");

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void servesPageWithoutCodeOrProperty(WebApplicationType type) throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(type)) {
			WebClient client = application.client();
			assertThat(client.get("/distributed-locks").status()).isEqualTo(302);
			assertThat(client.get("/distributed-locks").header("Location")).isEqualTo("distributed-locks/");
			WebClient.Response page = client.get("/distributed-locks/");
			assertThat(page.status()).isEqualTo(200);
			assertThat(page.header("Content-Type")).startsWith("text/html");
			assertThat(page.header("Content-Security-Policy")).startsWith("default-src 'none'; script-src 'self';")
				.doesNotContain("unsafe");
			assertThat(page.text()).contains("<h1>Locks</h1>").doesNotContain("<style", "style=", "onclick", "http");
			assertThat(client.get("/distributed-locks/nothing.js").status()).isEqualTo(404);
			assertThat(client.get("/actuator/locks").status()).as("the endpoint, which is not exposed").isEqualTo(404);
			try (LockHandle lock = application.locks().acquire(LockRequest.of("order:42"))) {
				WebClient.Response view = client.get("/distributed-locks/api/view");
				assertThat(view.text()).contains("\"name\":\"order:42\"", "\"token\":\"" + lock.fencingToken() + "\"")
					.contains("\"mayRelease\":false");
				assertThat(view.json()).extractingByKey("instance").asString().startsWith("shop-");
				assertThat(view.json()).extractingByKey("problems")
					.asInstanceOf(InstanceOfAssertFactories.LIST)
					.isEmpty();
				assertThat(view.header("Cache-Control")).isEqualTo("no-store");
				assertThat(client.get("/distributed-locks/api/lock?key=order:42").text())
					.contains("\"token\":\"" + lock.fencingToken() + "\"");
				assertThat(client.get("/distributed-locks/api/lock").status()).isEqualTo(400);
			}
		}
	}

	@Test
	void stoppedApplicationUsesNoConnectionForAnOpenPage() throws InterruptedException {
		try (RedisServer redis = RedisServer.start();
				Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET,
						"spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())) {
			assertThat(application.client().get("/distributed-locks/api/view").status()).isEqualTo(200);
			await().until(() -> connections(redis) > 1);
			application.stop();
			// Longer than the interval between two reports
			await().during(Duration.ofSeconds(3)).until(() -> connections(redis), Long.valueOf(1)::equals);
		}
	}

	/** Returns the number of connections, including the one that asks. */
	private static long connections(RedisServer redis) {
		return String.valueOf(redis.cli("CLIENT", "LIST")).lines().count();
	}

	@Test
	void servesExactlyTheReferencedFiles() {
		TreeSet<String> referenced = new TreeSet<>(List.of("index.html"));
		DashboardFiles files = new DashboardFiles();
		DashboardFiles.NAMES.stream()
			.flatMap((name) -> REFERENCE.matcher(files.find("/" + name, null).body()).results())
			.map((MatchResult match) -> (match.group(1) != null) ? match.group(1) : match.group(2))
			// The page itself, whose request leads to the login
			.filter((name) -> !name.equals("./"))
			.forEach(referenced::add);
		assertThat(referenced).containsExactlyInAnyOrderElementsOf(DashboardFiles.NAMES);
	}

	@Test
	void linksToExistingSectionsOfTheGuide() throws IOException {
		List<String> sections = Files.readAllLines(Checkout.file("docs", "operations.md"))
			.stream()
			.filter((line) -> line.startsWith("#"))
			.map((line) -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT).replace(' ', '-'))
			.toList();
		String drawer = new DashboardFiles().find("/drawer.js", null).body();
		assertThat(SECTION.matcher(drawer).results().map((match) -> match.group(1)).toList()).hasSize(3)
			.isSubsetOf(sections);
	}

	@Test
	void hasTextForEachKindOfIncident() {
		String script = new DashboardFiles().find("/words.js", null).body();
		assertThat(INCIDENT.matcher(script).results().map((match) -> match.group(1))).containsExactlyInAnyOrder(
				Stream.of(IncidentRecorder.Kind.values()).map(Enum::name).toArray(String[]::new));
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void servesPageOnManagementPortAndLogsItsAddress(WebApplicationType type, CapturedOutput output) {
		try (Application application = Application.startWithoutSecurity(type, "management.server.port=0",
				"distributed-lock.dashboard.path=/ops/locks")) {
			assertThat(application.managementClient().get("/ops/locks").header("Location")).isEqualTo("locks/");
			assertThat(application.managementClient().get("/ops/locks/").text()).contains("<h1>Locks</h1>");
			assertThat(application.managementClient().get("/ops/locks/api/view").status()).isEqualTo(200);
			assertThat(application.client().get("/ops/locks/").status()).isEqualTo(404);
			assertThat(output).contains("The lock dashboard is at " + application.managementClient().address()
					+ "/ops/locks/ and requires no login: everybody who can reach this port can see the locks");
		}
	}

	/** Browsers keep the files, so reopening the page transfers only its data. */
	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void sendsFewBytesAndEachFileOnlyOnce(WebApplicationType type) {
		try (Application application = Application.startWithoutSecurity(type, "server.compression.enabled=true")) {
			WebClient client = application.client();
			int bytes = client.get("/distributed-locks/api/view").text().length();
			for (String name : DashboardFiles.NAMES) {
				String path = "/distributed-locks/" + name;
				WebClient.Response file = client.get(path);
				assertThat(client.get(path, "If-None-Match", file.header("ETag"))).as(name)
					.satisfies((again) -> assertThat(again.status()).isEqualTo(304))
					.satisfies((again) -> assertThat(again.text()).isEmpty());
				assertThat(file.header("Cache-Control")).isEqualTo("no-cache");
				bytes += file.text().length();
				assertThat(file.text()).as(name).isNotEmpty().doesNotContainPattern("(?m)^(\\s|//|/\\*)");
			}
			assertThat(bytes).as("without compression").isLessThan(60_000);
			assertThat(client.get("/distributed-locks/dashboard.css", "Accept-Encoding", "gzip")
				.header("Content-Encoding")).isEqualTo("gzip");
		}
	}

	@Test
	void servesNoPageIfEndpointIsNotAccessible() {
		for (String property : List.of("management.endpoint.locks.access=none",
				"management.endpoints.access.max-permitted=none", "management.endpoints.web.exposure.exclude=locks",
				"distributed-lock.enabled=false")) {
			try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, property)) {
				assertThat(application.client().get("/distributed-locks/").status()).as(property).isEqualTo(404);
			}
		}
	}

	@Test
	void hidesNamesThatEndpointHides() throws InterruptedException {
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
			WebClient.Response view = application.client().get("/distributed-locks/api/view");
			assertThat(view.text()).contains("TIMED_OUT", "\"name\":\"******\",\"hidden\":true")
				.doesNotContain("smith");
			Matcher key = HIDDEN_KEY.matcher(view.text());
			assertThat(key.find()).isTrue();
			assertThat(application.client().get("/distributed-locks/api/lock?key=" + key.group(1)).text())
				.contains("\"owner\":\"patient#")
				.doesNotContain("smith");
			assertThat(application.client().get("/distributed-locks/api/view?q=smith").text()).as("guessed name")
				.contains("\"matching\":0");
			assertThat(application.client().get("/distributed-locks/api/lock?key=patient:smith").text())
				.as("guessed name")
				.contains("\"holders\":[],\"waits\":[],\"incidents\":[]");
			patient.cancel(true);
		}
	}

	@Test
	void refusesForcedReleaseWithoutProperties() throws InterruptedException {
		for (String[] properties : new String[][] { {}, { MAY_RELEASE[0] }, { MAY_RELEASE[1] } }) {
			try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, properties);
					LockHandle lock = application.locks().acquire(LockRequest.of("order:42"))) {
				WebClient.Response response = application.client()
					.send("DELETE", "/distributed-locks/api/lock?name=order:42", Dashboard.WRITE_HEADER, "release");
				assertThat(response.status()).isEqualTo(403);
				assertThat(response.text()).contains("distributed-lock.endpoint.force-release=true");
				assertThat(lock.isValid()).isTrue();
			}
		}
	}

	@Test
	void showsOneRegistryAtATime() throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(WebApplicationType.SERVLET, MAY_RELEASE[0],
				MAY_RELEASE[1], "distributed-lock.registries.billing.key-prefix=billing:")) {
			WebClient client = application.client();
			LockHandle lock = application.locks().acquire(LockRequest.of("order:42"));
			assertThat(client.get("/distributed-locks/api/view").json()).extractingByKey("registries")
				.asInstanceOf(InstanceOfAssertFactories.LIST)
				.containsExactly("default", "billing");
			for (String query : List.of("", "?registry=default")) {
				assertThat(client.get("/distributed-locks/api/view" + query).text()).contains("order:42");
			}
			assertThat(client.get("/distributed-locks/api/view?registry=billing").text()).contains("\"rows\":[]");
			assertThat(client.get("/distributed-locks/api/view?registry=biling").status()).isEqualTo(400);
			for (String registry : List.of("billing", "default")) {
				WebClient.Response response = client.send("DELETE",
						"/distributed-locks/api/lock?name=order:42&registry=" + registry, Dashboard.WRITE_HEADER,
						"release");
				assertThat(response.status()).isEqualTo(registry.equals("default") ? 200 : 404);
			}
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			await().untilAsserted(
					() -> assertThat(client.get("/distributed-locks/api/view").text()).contains("LOST_FORCE_RELEASED"));
			assertThat(client.get("/distributed-locks/api/view?registry=billing").text()).doesNotContain("LOST");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void releasesByForceOnlyForThePageAndAuditsRelease(WebApplicationType type) throws InterruptedException {
		try (Application application = Application.startWithoutSecurity(type, MAY_RELEASE)) {
			WebClient client = application.client();
			String path = "/distributed-locks/api/lock?name=a%20b%2Fc%3F";
			LockHandle lock = application.locks().acquire(LockRequest.of("a b/c?"));
			assertThat(client.get("/distributed-locks/api/view").json()).containsEntry("mayRelease", true);
			assertThat(client.send("DELETE", path).status()).as("without the header").isEqualTo(403);
			assertThat(client.send("DELETE", path, Dashboard.WRITE_HEADER, "release", "Sec-Fetch-Site", "cross-site")
				.status()).as("from another site").isEqualTo(403);
			assertThat(client.send("POST", path, Dashboard.WRITE_HEADER, "release").status()).isEqualTo(405);
			assertThat(lock.isValid()).isTrue();
			assertThat(application.audited()).isEmpty();
			WebClient.Response response = client.send("DELETE", path, Dashboard.WRITE_HEADER, "release",
					"Sec-Fetch-Site", "same-origin");
			assertThat(response.status()).isEqualTo(200);
			assertThat(response.text()).contains("\"released\":[{\"owner\":\"shop-");
			assertThat(application.audited()).singleElement()
				.satisfies((event) -> assertThat(event.getType()).isEqualTo(ForceReleaseOperation.AUDIT_TYPE))
				.satisfies((event) -> assertThat(event.getData()).contains(Map.entry("lock", "a b/c?")));
			assertThat(client.send("DELETE", path, Dashboard.WRITE_HEADER, "release").status()).isEqualTo(404);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

}
