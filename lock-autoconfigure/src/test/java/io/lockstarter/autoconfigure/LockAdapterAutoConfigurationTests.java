package io.lockstarter.autoconfigure;

import java.util.Optional;

import io.lockstarter.adapter.IntegrationLockRegistry;
import io.lockstarter.adapter.ShedLockProvider;
import io.lockstarter.testing.CapturedLog;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

class LockAdapterAutoConfigurationTests {

	private static final String INTEGRATION = "distributed-lock.adapter.spring-integration=true";

	private static final String SHEDLOCK = "distributed-lock.adapter.shedlock=true";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockAdapterAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory");

	@Test
	void providesNoAdapterUnasked() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(LockRegistry.class)
			.doesNotHaveBean(LockProvider.class));
	}

	@Test
	void providesALockRegistryOfSpringIntegration() {
		this.runner.withPropertyValues(INTEGRATION)
			.run((context) -> assertThat(context).hasSingleBean(IntegrationLockRegistry.class)
				.doesNotHaveBean(LockProvider.class));
	}

	@Test
	void providesALockProviderOfShedLock() {
		this.runner.withPropertyValues(SHEDLOCK)
			.run((context) -> assertThat(context).hasSingleBean(ShedLockProvider.class)
				.doesNotHaveBean(LockRegistry.class));
	}

	@Test
	void startsWithoutSpringIntegration() {
		this.runner.withPropertyValues(INTEGRATION, SHEDLOCK)
			.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("integrationLockRegistry")
				.hasSingleBean(ShedLockProvider.class));
	}

	@Test
	void startsWithoutShedLock() {
		this.runner.withPropertyValues(INTEGRATION, SHEDLOCK)
			.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("shedLockProvider")
				.hasSingleBean(IntegrationLockRegistry.class));
	}

	@Test
	void givesWayToTheUsersLockRegistryWhateverItsName() {
		this.runner.withPropertyValues(INTEGRATION)
			.withUserConfiguration(OwnLockRegistry.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(IntegrationLockRegistry.class)
				.hasSingleBean(io.lockstarter.core.LockRegistry.class));
	}

	@Test
	void givesWayToTheUsersLockProvider() {
		this.runner.withPropertyValues(SHEDLOCK)
			.withBean("own", LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasSingleBean(LockProvider.class)
				.doesNotHaveBean(ShedLockProvider.class));
	}

	@Test
	void warnsOnceThatThePropertyHasNoEffectBesideTheUsersLockProvider() {
		assertWarnsOnce(
				this.runner.withPropertyValues(SHEDLOCK)
					.withBean("own", LockProvider.class, () -> (configuration) -> Optional.empty()),
				SHEDLOCK + " has no effect, because there is already a bean 'own' of type LockProvider. Remove");
	}

	@Test
	void warnsOnceThatThePropertyHasNoEffectBesideTheUsersLockRegistry() {
		assertWarnsOnce(this.runner.withPropertyValues(INTEGRATION).withUserConfiguration(OwnLockRegistry.class),
				INTEGRATION
						+ " has no effect, because there is already a bean 'lockRegistry' of type LockRegistry. Remove");
	}

	private static void assertWarnsOnce(ApplicationContextRunner runner, String message) {
		try (CapturedLog log = CapturedLog.of(UnusedAdapterWarning.class)) {
			runner.run((context) -> assertThat(log.lines()).singleElement().asString().contains(message));
		}
	}

	@Test
	void warnsOfNoAdapterThatTakesEffect() {
		try (CapturedLog log = CapturedLog.of(UnusedAdapterWarning.class)) {
			this.runner.withPropertyValues(INTEGRATION, SHEDLOCK).run((context) -> assertThat(context).hasNotFailed());
			this.runner.withPropertyValues(SHEDLOCK)
				.withUserConfiguration(OwnShedLockProvider.class)
				.run((context) -> assertThat(context).hasSingleBean(ShedLockProvider.class));
			this.runner.withBean("own", LockProvider.class, () -> (configuration) -> Optional.empty())
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void providesNoAdapterWithoutLocks() {
		this.runner.withPropertyValues(INTEGRATION, SHEDLOCK, "distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockProvider.class));
	}

	/**
	 * Calls its registry as most applications do.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OwnLockRegistry {

		@Bean
		DefaultLockRegistry lockRegistry() {
			return new DefaultLockRegistry();
		}

	}

	/**
	 * Replaces the provider of ShedLock as the migration guide shows.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OwnShedLockProvider {

		@Bean
		LockProvider lockProvider(io.lockstarter.core.LockRegistry registry) {
			return new ShedLockProvider(registry);
		}

	}

}
