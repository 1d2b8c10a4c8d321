package io.lockstarter.smallest;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an application on the class path that Maven resolves for the starter and a web
 * starter, in JVMs that have nothing of the tests.
 */
class SmallestApplicationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	/** A type that shows locks to the world. */
	private static final Pattern OBSERVER = Pattern.compile("io\\.lockstarter\\.(actuate|observation)\\.\\w+");

	private static final Pattern COMPLAINT = Pattern.compile("\\b(WARN|ERROR)\\b");

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private static RedisServer redis;

	private static ChildJvm one;

	private static URI first;

	@BeforeAll
	static void startOne() throws IOException {
		redis = RedisServer.startGuarded();
		one = start();
		first = address(one);
	}

	@AfterAll
	static void close() {
		Stream.of(one, redis).filter(Objects::nonNull).forEach(SmallestApplicationTests::close);
	}

	private static void close(AutoCloseable resource) {
		try {
			resource.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void excludesAnotherInstance() throws Exception {
		try (ChildJvm another = start()) {
			URI second = address(another);
			CompletableFuture<HttpResponse<String>> work = post(first, "/work/42");
			await().atMost(PATIENCE).until(() -> redis.cli("EXISTS", "lock:{desk:42}").equals(1L));
			assertThat(post(second, "/work/42").join().body()).isEqualTo("busy");
			post(second, "/finish").join();
			assertThat(post(second, "/work/43").join().body()).as("another key").isEqualTo("done");
			post(first, "/finish").join();
			assertThat(work.join().body()).isEqualTo("done");
			assertThat(post(second, "/work/42").join().body()).as("after the first").isEqualTo("done");
			assertThat(one.output()).noneMatch((line) -> COMPLAINT.matcher(line).find());
			assertThat(another.output()).noneMatch((line) -> COMPLAINT.matcher(line).find());
		}
	}

	@Test
	void showsLocksInTheFlightRecorderAndTheLogOnly() throws Exception {
		assertThat(get(first, "/actuator/locks").statusCode()).isEqualTo(404);
		String beans = get(first, "/beans").body();
		assertThat(OBSERVER.matcher(beans).results().map(MatchResult::group)).containsExactlyInAnyOrder(
				"io.lockstarter.observation.LockFlightRecorder", "io.lockstarter.observation.SlowLockWarnings");
	}

	@Test
	void hasNothingOnTheClassPathThatItWasNotGiven() throws IOException {
		assertThat(classPath().stream().map((entry) -> new File(entry).getName())).noneMatch((name) -> name
			.matches(".*(actuator|aspectjweaver|micrometer-core|spring-boot-health|junit|assertj|test-classes).*"));
		assertThat(classPath()).noneMatch((entry) -> entry.contains("lock-test-fixtures"))
			.anyMatch((entry) -> entry.contains("lock-autoconfigure"))
			.anyMatch((entry) -> entry.contains("spring-webmvc"))
			.anyMatch((entry) -> entry.contains("lettuce-core"));
	}

	private static ChildJvm start() throws IOException {
		String all = String.join(File.pathSeparator, classPath());
		return ChildJvm.start(Path.of(System.getProperty("java.home")), List.of("-cp", all), SmallestApplication.class,
				"--server.port=0", "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port());
	}

	private static List<String> classPath() throws IOException {
		String dependencies = Files.readString(Path.of("target", "runtime-class-path"));
		return Arrays.asList(
				(Path.of("target", "classes") + File.pathSeparator + dependencies.strip()).split(File.pathSeparator));
	}

	private static URI address(ChildJvm application) {
		Matcher port = PORT.matcher(application.awaitLine((line) -> PORT.matcher(line).find(), PATIENCE));
		assertThat(port.find()).isTrue();
		URI address = URI.create("http://localhost:" + port.group(1));
		await().atMost(PATIENCE).until(() -> get(address, "/ready").body().equals("true"));
		return address;
	}

	private static HttpResponse<String> get(URI address, String path) {
		return send(HttpRequest.newBuilder(address.resolve(path))).join();
	}

	private static CompletableFuture<HttpResponse<String>> post(URI address, String path) {
		return send(HttpRequest.newBuilder(address.resolve(path)).POST(BodyPublishers.noBody()));
	}

	private static CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
		return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
	}

}
