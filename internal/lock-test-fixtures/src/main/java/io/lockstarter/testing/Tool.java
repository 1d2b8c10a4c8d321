package io.lockstarter.testing;

import java.util.Optional;
import java.util.stream.Stream;

import io.lockstarter.browser.Browser;

/**
 * Tool that some tests need and that neither the JDK nor Maven contains.
 */
public enum Tool {

	/** Chromium with its driver. */
	BROWSER("a browser"),
	/** Redis whose clock can be set. */
	CLOCK("a clock that can be set"),
	/** Docker engine with an image of Redis. */
	DOCKER("Docker"),
	/** Server of MariaDB. */
	MARIADB("MariaDB"),
	/** Program of Prometheus that tests the rules of alerts. */
	PROMTOOL("promtool"),
	/** Programs that the commands of the operations guide call. */
	SHELL("bash, curl and redis-cli"),
	/** Redis that was built with TLS. */
	TLS("TLS");

	private final String title;

	Tool(String title) {
		this.title = title;
	}

	/** Returns the reason why this machine lacks the tool. */
	Optional<String> obstacle() {
		return switch (this) {
			case BROWSER -> Browser.obstacle();
			case CLOCK -> SteppableClock.obstacle();
			case DOCKER -> RedisContainerFixture.obstacle();
			case MARIADB -> MariaDbFixture.obstacle();
			case PROMTOOL -> obstacleWithout("promtool");
			case SHELL -> obstacleWithout("bash", "curl", "redis-cli");
			case TLS -> TlsRedis.obstacle();
		};
	}

	private static Optional<String> obstacleWithout(String... programs) {
		return Stream.of(programs)
			.filter((program) -> Programs.onPath(program).isEmpty())
			.findFirst()
			.map((program) -> "there is no %s on the PATH".formatted(program));
	}

	@Override
	public String toString() {
		return this.title;
	}

}
