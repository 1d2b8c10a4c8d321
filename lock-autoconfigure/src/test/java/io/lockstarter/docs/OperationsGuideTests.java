package io.lockstarter.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.example.Shop;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The commands of docs/operations.md work in an application that holds a lock.
 */
@Needs(Tool.SHELL)
class OperationsGuideTests {

	private static final String PAGE = Page.of("docs", "operations.md").text();

	private static final Pattern BLOCK = Pattern.compile("(?s)```bash\\n(.+?)```");

	private static final String METRIC_NAME = "OrderService.ship";

	private static final String LOCK = METRIC_NAME + ":42";

	private static RedisServer redis;

	private static ConfigurableApplicationContext shop;

	@BeforeAll
	static void start() {
		redis = RedisServer.start();
		shop = SpringApplication.run(Shop.class, "--server.port=0", "--spring.data.redis.port=" + redis.port(),
				"--spring.main.banner-mode=off", "--management.endpoints.web.exposure.include=*",
				"--management.endpoint.health.show-details=always", "--management.endpoint.locks.access=unrestricted",
				"--distributed-lock.endpoint.force-release=true");
	}

	@AfterAll
	static void stop() {
		shop.close();
		redis.close();
		shop = null;
		redis = null;
	}

	static List<String> commands() {
		List<String> commands = Page.matches(BLOCK, PAGE)
			.flatMap(String::lines)
			.filter((line) -> !line.matches("[A-Z]+=.*"))
			.distinct()
			.toList();
		assertThat(commands).hasSizeGreaterThan(15);
		return commands;
	}

	@ParameterizedTest
	@MethodSource("commands")
	void work(String command) throws Exception {
		LockRegistry registry = shop.getBean(LockRegistry.class);
		LockHandle lock = registry
			.acquire(LockRequest.of(LOCK).metricName(METRIC_NAME).owner(LockOwner.create("test")));
		assertThat(run(command)).isNotEmpty().doesNotContain("\"error\"", "ERR ", "(nil)");
		if (command.contains("DELETE")) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
		else {
			lock.close();
		}
	}

	@Test
	void leadFromTheAlertToTheLockAndFreeIt() throws Exception {
		LockRequest request = LockRequest.of(LOCK).metricName(METRIC_NAME).owner(LockOwner.create("test"));
		shop.getBean(LockRegistry.class).acquire(request);
		assertThat(run(command("?metricName=$NAME\""))).contains(LOCK, "\"watchdog\":\"renewing\"");
		assertThat(run(command("?metricName=$NAME&scope"))).contains(LOCK);
		assertThat(run(command("-s -G"))).contains("\"holders\":[{\"instance\":\"application-");
		assertThat(run(command("HGETALL"))).contains("by\n").containsPattern("\\d+ application-.*/test");
		assertThat(Long.parseLong(run(command("PTTL")).strip())).isBetween(20_000L, 30_000L);
		assertThat(run(command("--pattern \"$PREFIX{"))).isEqualToIgnoringNewLines("lock:{" + LOCK + "}");
		assertThat(run(command("-X DELETE"))).contains("\"released\":[{\"owner\":\"application-");
		assertThat(run(command("HGETALL"))).isBlank();
		assertThat(run(withOption("-w '%{http_code}' ", command("-X DELETE")))).endsWith("404");
	}

	@Test
	void distinguishErrorsByWordsThatTheyContain() {
		List<String> quoted = Page
			.matches(Pattern.compile("(?m)^\\| (`.*`) \\| .* \\|$"),
					PAGE.substring(PAGE.indexOf("| the error contains"), PAGE.indexOf("**2. Check Redis itself**")))
			.flatMap((cell) -> Page.matches(Pattern.compile("`([^`]+)`"), cell))
			.toList();
		String errors = Arrays.stream(Reason.values())
			.map((reason) -> new LockBackendException(LockBackendException.NO_LOCK, reason, "", null).getMessage())
			.collect(Collectors.joining("\n"));
		assertThat(quoted).hasSizeGreaterThan(4).allSatisfy((words) -> assertThat(errors).contains(words));
	}

	private static String command(String part) {
		return commands().stream().filter((command) -> command.contains(part)).findFirst().orElseThrow();
	}

	private static String withOption(String option, String command) {
		return command.replaceFirst("curl ", Matcher.quoteReplacement("curl " + option));
	}

	private static String run(String command) throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder("bash", "-o", "pipefail", "-c", command).redirectErrorStream(true);
		builder.environment().putAll(variables());
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		return output;
	}

	/** Those that the page tells readers to set. */
	private static Map<String, String> variables() {
		int port = ((ServletWebServerApplicationContext) shop).getWebServer().getPort();
		Map<String, String> variables = Map.of("INSTANCE", "localhost:" + port, "NAME", METRIC_NAME, "LOCK", LOCK,
				"REDIS", "redis-cli -p " + redis.port(), "PREFIX", "lock:");
		Stream<String> named = Page.matches(Pattern.compile("(?m)^([A-Z]+)="), PAGE);
		assertThat(named).containsExactlyInAnyOrderElementsOf(variables.keySet());
		return variables;
	}

}
