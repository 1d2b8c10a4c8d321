package io.lockstarter.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.Ports;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample application as processed ahead of time, with what the goal
 * {@code process-aot} of Boot's Maven plugin does.
 */
class AotTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	/** Little runs for long here. */
	@TempDir
	Path directory;

	@Tag("stress")
	@Test
	void answersWhenProcessedAheadOfTime() throws IOException {
		Path sources = this.directory.resolve("sources");
		Path classes = this.directory.resolve("classes");
		process(sources, classes);
		compile(sources, classes);
		int redisPort = Ports.free();
		int port = Ports.free();
		List<String> options = List.of("-cp", withClassPath(classes), "-Dspring.aot.enabled=true");
		try (ChildJvm jvm = ChildJvm.start(options, AheadOfTime.class, "--server.port=" + port,
				"--sample.redis.port=" + redisPort, "--sample.directory=" + this.directory.resolve("data"),
				"--sample.paperwork=10ms", "--sample.settlement.cron=-",
				"--logging.level.io.lockstarter.sample=info")) {
			assertThat(jvm.awaitLine((line) -> line.contains("Starting AOT-processed"), PATIENCE)).isNotNull();
			jvm.awaitLine((line) -> line.contains("Started SampleApplication"), PATIENCE);
			RestClient http = RestClient.create("http://localhost:" + port);
			assertThat(http.post()
				.uri("/seats/A1")
				.body("customer=ann")
				.header("Content-Type", "application/x-www-form-urlencoded")
				.retrieve()
				.body(String.class)).contains("\"customer\":\"ann\"");
			assertThat(http.get().uri("/actuator/metrics/distributed.lock.acquire").retrieve().body(String.class))
				.contains("acquired");
			assertThat(http.get().uri("/experiments").retrieve().body(String.class)).contains("events");
			assertThat(http.get().uri("/distributed-locks/api/view").retrieve().body(String.class)).contains("locks");
			assertThat(http.get().uri("/actuator/locks").retrieve().body(String.class)).contains("held");
		}
	}

	private void process(Path sources, Path classes) {
		String[] arguments = { SampleApplication.class.getName(), sources.toString(),
				this.directory.resolve("resources").toString(), classes.toString(), "io.lockstarter", "sample-app" };
		try (ChildJvm jvm = ChildJvm.start(AheadOfTimeProcessor.class, arguments)) {
			jvm.awaitLine("processed"::equals, PATIENCE);
		}
	}

	private static void compile(Path sources, Path classes) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> arguments = new ArrayList<>(List.of("-nowarn", "-proc:none", "-parameters", "-d",
				classes.toString(), "-classpath", withClassPath(classes)));
		try (Stream<Path> files = Files.walk(sources)) {
			files.filter(Files::isRegularFile).map(Path::toString).forEach(arguments::add);
		}
		assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new))).isZero();
	}

	private static String withClassPath(Path classes) {
		return classes + File.pathSeparator + System.getProperty("java.class.path");
	}

	/**
	 * Generates the sources, as the plugin does it in a JVM of its own.
	 */
	static final class AheadOfTimeProcessor {

		public static void main(String[] args) throws Exception {
			ChildJvm.exitWithParent();
			SpringApplicationAotProcessor.main(args);
			System.out.println("processed");
		}

	}

	/**
	 * Runs the application with what was generated for it.
	 */
	static final class AheadOfTime {

		public static void main(String[] args) {
			ChildJvm.exitWithParent();
			SampleApplication.main(args);
		}

	}

}
