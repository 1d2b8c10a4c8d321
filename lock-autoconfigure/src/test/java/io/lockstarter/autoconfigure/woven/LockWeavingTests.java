package io.lockstarter.autoconfigure.woven;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.lockstarter.testing.ChildJvm;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks that AspectJ weaves at load time, in a JVM of their own.
 */
class LockWeavingTests {

	private static ChildJvm jvm;

	@BeforeAll
	static void start() throws URISyntaxException {
		Path weaver = Path.of(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		jvm = ChildJvm.start(
				List.of("-javaagent:" + weaver,
						"-Dorg.aspectj.weaver.loadtime.configuration=io/lockstarter/autoconfigure/woven/aop.xml"),
				WovenApplication.class);
		jvm.awaitLine("ready"::equals, Duration.ofMinutes(1));
	}

	@AfterAll
	static void stop() {
		jvm.close();
	}

	@ParameterizedTest
	@EnumSource
	void holdsInAWovenApplication(Scenario scenario) {
		jvm.send(scenario.name());
		assertThat(jvm.awaitLine((line) -> line.startsWith(scenario.name()), Duration.ofMinutes(1)))
			.isEqualTo(scenario.name() + " passed");
	}

}
