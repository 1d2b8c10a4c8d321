package io.lockstarter.dashboard;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.browser.Browser;
import io.lockstarter.fresh.FreshApplication;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Stage for tests of the page, with a browser, a Redis, and instances of an application
 * that has the dependency without further configuration.
 */
final class PageStage implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String LEASE = "--distributed-lock.lease-time=";

	private static final Pattern PORT = Pattern.compile("Ready on port (\\d+)");

	/** Dependencies of the tests that the application must not have. */
	private static final Pattern TEST_DEPENDENCIES = Pattern
		.compile("spring-security|webflux|reactor-netty|junit|assertj|mockito|selenium|spring-boot-(starter-)?test");

	private static final String OVERFLOWING = """
			return [...document.querySelectorAll("body *")]
				.filter((node) => node.checkVisibility() && !node.closest(".unseen, thead") && node.getBoundingClientRect().right > innerWidth + 1)
				.map((node) => node.outerHTML.slice(0, 200));
			""";

	private final RedisServer redis = RedisServer.start();

	private final List<AutoCloseable> others = new ArrayList<>();

	private final Browser browser;

	/**
	 * Starts Redis and the browser.
	 * @param directory the directory for the data of the browser
	 */
	PageStage(Path directory) {
		this.browser = Browser.start(directory.resolve("browser"));
		this.browser.size(1280, 900);
	}

	RedisServer redis() {
		return this.redis;
	}

	Browser browser() {
		return this.browser;
	}

	/** Starts an instance on a free port. */
	Instance start(String instance, String... properties) {
		return start(instance, 0, properties);
	}

	/** Starts an instance on a port. The port 0 stands for any free port. */
	Instance start(String instance, int port, String... properties) {
		String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !TEST_DEPENDENCIES.matcher(new File(entry).getName()).find())
			.collect(Collectors.joining(File.pathSeparator));
		List<String> arguments = new ArrayList<>(List.of("--server.port=" + port,
				"--spring.data.redis.host=" + this.redis.host(), "--spring.data.redis.port=" + this.redis.port(),
				"--spring.data.redis.timeout=1s", "--spring.application.version=1.2.3",
				"--distributed-lock.instance=" + instance, "--distributed-lock.endpoint.force-release=true",
				"--management.endpoint.locks.access=unrestricted"));
		arguments.addAll(List.of(properties));
		if (arguments.stream().noneMatch((argument) -> argument.startsWith(LEASE))) {
			arguments.add(LEASE + "6s");
		}
		ChildJvm jvm = ChildJvm.start(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath), FreshApplication.class,
				arguments.toArray(String[]::new));
		this.others.add(jvm);
		return new Instance(instance, jvm);
	}

	/** Opens the page of an instance, and waits until it shows that all is well. */
	void open(Instance instance) {
		open(instance, "GOOD", "All well");
	}

	/** Opens the page of an instance, and waits for a headline. */
	void open(Instance instance, String level, String title) {
		this.browser.open("http://localhost:" + instance.port() + "/distributed-locks/");
		awaitHeadline(level, title);
	}

	void awaitWell() {
		awaitHeadline("GOOD", "All well");
	}

	/** Waits for a headline with a text. */
	void awaitHeadline(String level, String title) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(text("#title")).contains(title);
			assertThat(this.browser.find("#headline").getDomAttribute("data-level")).isEqualTo(level);
		});
	}

	void awaitText(String selector, String text) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(text(selector)).contains(text));
	}

	String text(String selector) {
		return this.browser.text(selector);
	}

	@SuppressWarnings("TypeParameterUnusedInFormals")
	<T> T run(String script) {
		return this.browser.run(script);
	}

	/** Returns the text that explains why the table of locks is empty. */
	String none() {
		return text("#none");
	}

	/** Returns the cells of an instance's row. */
	List<String> instance(String name) {
		return this.browser.run("return [...document.querySelectorAll(`[data-name='${arguments[0]}'] td`)]"
				+ ".map((node) => node.textContent.trim())", name);
	}

	/**
	 * Returns the text of a cell by the lock and the class of the column, or an empty
	 * text if there is none.
	 */
	String cell(String lock, String column) {
		return text("#rows [data-lock='%s'] .%s".formatted(lock, column));
	}

	/** Waits until the table shows an instance and a thread as the holder of a lock. */
	void awaitHolder(String lock, String holder) {
		await().atMost(PATIENCE).until(() -> cell(lock, "holder"), holder::equals);
	}

	/** Waits until the table no longer contains a lock. */
	void awaitGone(String lock) {
		await().atMost(PATIENCE).until(() -> cell(lock, "name").isEmpty());
	}

	/** Returns the elements that extend beyond the window. */
	List<String> overflowing() {
		return this.browser.run(OVERFLOWING);
	}

	void screenshot(String name) {
		this.browser.screenshot(Path.of("target", "page-" + name + ".png"));
	}

	@Override
	public void close() throws Exception {
		this.browser.close();
		for (AutoCloseable other : this.others) {
			other.close();
		}
		this.redis.close();
	}

	/**
	 * Instance of the application.
	 */
	static final class Instance {

		private final String name;

		private final ChildJvm jvm;

		private int port;

		private Instance(String name, ChildJvm jvm) {
			this.name = name;
			this.jvm = jvm;
		}

		String name() {
			return this.name;
		}

		ChildJvm jvm() {
			return this.jvm;
		}

		/** Sends SIGTERM, so that the instance shuts down gracefully. */
		void end() {
			ProcessHandle.of(this.jvm.pid()).orElseThrow().destroy();
		}

		/** Returns the port of the instance, after its start has completed. */
		int port() {
			if (this.port == 0) {
				Matcher line = PORT.matcher(this.jvm.awaitLine((text) -> PORT.matcher(text).find(), PATIENCE));
				assertThat(line.find()).isTrue();
				this.port = Integer.parseInt(line.group(1));
			}
			return this.port;
		}

		void hold(String lock, String thread) {
			this.jvm.send("hold %s %s".formatted(lock, thread));
		}

		/** Holds a permit of a lock. */
		void share(String lock, String thread, int permits) {
			this.jvm.send("share %s %s %d".formatted(lock, thread, permits));
		}

		void free(String thread) {
			this.jvm.send("free " + thread);
		}

		void hold(String lock, String thread, String registry) {
			this.jvm.send("hold %s %s %s".formatted(lock, thread, registry));
		}

	}

}
