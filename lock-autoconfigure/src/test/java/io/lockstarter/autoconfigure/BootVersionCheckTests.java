package io.lockstarter.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests of {@link BootVersionCheck}.
 */
class BootVersionCheckTests {

	@ParameterizedTest
	@ValueSource(strings = { "3.5.16", "2.7.18", "3.5.16-SNAPSHOT" })
	void refusesAnOldSpringBoot(String version) {
		assertThatExceptionOfType(LockSetupException.class)
			.isThrownBy(() -> new BootVersionCheck(version).initialize(new GenericApplicationContext()))
			.withMessage("Distributed locks need Spring Boot 4.0 or newer, and found " + version + ".")
			.satisfies((ex) -> assertThat(ex.action()).startsWith("Raise Spring Boot to 4.0 or newer"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "4.0.0", "4.1.1", "10.0.0-M1" })
	void acceptsOthers(String version) {
		assertThatNoException()
			.isThrownBy(() -> new BootVersionCheck(version).initialize(new GenericApplicationContext()));
	}

	@Test
	void isAskedByEachApplication() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
			.hasAtLeastOneElementOfType(BootVersionCheck.class);
	}

}
