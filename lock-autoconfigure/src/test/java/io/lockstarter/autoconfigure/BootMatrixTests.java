package io.lockstarter.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the Spring Boot under the tests is the one that the build names: a profile
 * runs them on the oldest that is supported.
 */
class BootMatrixTests {

	private static final String NAMED = "lockstarter.test.boot.version";

	@Test
	@EnabledIfSystemProperty(named = NAMED, matches = ".+", disabledReason = "The tests are not run by Maven")
	void runsOnTheSpringBootOfTheBuild() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty(NAMED));
	}

}
