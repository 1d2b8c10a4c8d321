package io.lockstarter.test;

import java.time.Duration;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class LockTestAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockTestAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.backend=in-memory");

	@Test
	void offersLocksInMemory() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(InMemoryLocks.class);
			assertThat(context.getBean(InMemoryLocks.class).registry()).isSameAs(context.getBean(LockRegistry.class));
		});
	}

	@Test
	void offersNothingWhereLocksAreOff() {
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(InMemoryLocks.class)
				.doesNotHaveBean(LockRecorder.class));
	}

	@Test
	void offersNothingForARegistryOfTheUser() {
		this.runner.withUserConfiguration(OwnRegistry.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(InMemoryLocks.class)
				.doesNotHaveBean(LockRecorder.class));
	}

	@Test
	void backsOffFromLocksOfTheUser() {
		this.runner.withUserConfiguration(OwnLocks.class)
			.run((context) -> assertThat(context).getBean(InMemoryLocks.class).isSameAs(context.getBean("ownLocks")));
	}

	@Test
	void movesTheTimeOfAllRegistries() {
		this.runner.withPropertyValues("distributed-lock.registries.second.lease-time=1m").run((context) -> {
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			LockHandle fixed = acquire(context, LockRequest.of("a").leaseTime(Duration.ofMinutes(1)));
			LockHandle renewed = acquire(context, LockRequest.of("b"));
			locks.advance(Duration.ofMinutes(5));
			assertThat(fixed.isValid()).isFalse();
			assertThat(renewed.isValid()).isTrue();
			locks.pause(Duration.ofMinutes(5));
			assertThat(renewed.isValid()).isFalse();
		});
	}

	private static LockHandle acquire(ApplicationContext context, LockRequest request) throws InterruptedException {
		return context.getBean("secondLockRegistry", LockRegistry.class).acquire(request);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		LockRegistry ownRegistry() {
			return mock();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnLocks {

		@Bean
		InMemoryLocks ownLocks() {
			return InMemoryLocks.create();
		}

	}

}
