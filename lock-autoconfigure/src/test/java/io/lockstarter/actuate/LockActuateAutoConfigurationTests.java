package io.lockstarter.actuate;

import java.util.Set;
import io.lockstarter.autoconfigure.LockActuateAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.Show;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LockActuateAutoConfigurationTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockActuateAutoConfiguration.class))
		.withPropertyValues(EXPOSED);

	private final ApplicationContextRunner runner = this.bare.withBean(FakeLockMonitor.class);

	@Test
	void contributesEndpointAndHealth() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
			.hasSingleBean(LockHealthIndicator.class));
	}

	@Test
	void contributesNothingWithoutLocks() {
		this.bare.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(LocksEndpoint.class)
			.doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void contributesNothingWithoutActuator() {
		this.runner.withClassLoader(new FilteredClassLoader(Endpoint.class, HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("locksEndpoint")
				.doesNotHaveBean("distributedLockHealthIndicator"));
	}

	@Test
	void contributesHealthAloneWithoutEndpoints() {
		this.runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).doesNotHaveBean("locksEndpoint")
				.hasSingleBean(LockHealthIndicator.class));
	}

	@Test
	void contributesEndpointAloneWithoutHealth() {
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
				.doesNotHaveBean("distributedLockHealthIndicator"));
	}

	@Test
	void contributesNoEndpointUnlessExposed() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=health")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void contributesNoEndpointWhenAccessIsNone() {
		this.runner.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.health.distributed-lock.enabled", "management.health.distributedlock.enabled",
			"management.health.distributedLock.enabled", "management.health.defaults.enabled" })
	void contributesNoHealthWhenDisabled(String property) {
		this.runner.withPropertyValues(property + "=false")
			.withInitializer((context) -> ConfigurationPropertySources.attach(context.getEnvironment()))
			.run((context) -> assertThat(context).doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void givesWayToTheUsersEndpoint() {
		LocksEndpoint own = new LocksEndpoint(new FakeLockMonitor(), new Sanitizer(), Show.ALWAYS, Set.of());
		this.runner.withBean("own", LocksEndpoint.class, () -> own)
			.run((context) -> assertThat(context).getBean(LocksEndpoint.class).isSameAs(own));
	}

	@Test
	void givesWayToTheUsersHealthIndicator() {
		this.runner
			.withBean("distributedLockHealthIndicator", HealthIndicator.class, () -> () -> Health.unknown().build())
			.run((context) -> assertThat(context).hasSingleBean(HealthIndicator.class)
				.doesNotHaveBean(LockHealthIndicator.class));
	}

	@Test
	void registersHealthAsDistributedLock() {
		this.runner
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class,
					HealthContributorAutoConfiguration.class))
			.run((context) -> assertThat(
					context.getBean(HealthContributorRegistry.class).getContributor("distributedLock"))
				.isInstanceOf(LockHealthIndicator.class));
	}

}
