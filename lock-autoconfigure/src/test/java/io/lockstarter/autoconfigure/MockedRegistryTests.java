package io.lockstarter.autoconfigure;

import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.observation.LockGauges;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Tests for applications whose tests put a mock in the registry's place.
 */
@SpringBootTest(classes = MockedRegistryTests.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "distributed-lock.backend=in-memory", "management.endpoints.web.exposure.include=locks",
				"distributed-lock.warn.wait-time=1s", "distributed-lock.adapter.shedlock=true",
				"distributed-lock.adapter.spring-integration=true" })
class MockedRegistryTests {

	@MockitoBean
	private LockRegistry registry;

	@Autowired
	private Shop shop;

	@Test
	void lockByTheMock(@Autowired ApplicationContext context) throws InterruptedException {
		LockHandle lock = mock();
		given(this.registry.acquire(any())).willReturn(lock);
		assertThat(this.shop.ship("42")).isEqualTo("shipped 42");
		verify(this.registry).acquire(argThat((request) -> request.name().equals("Shop.ship:42")));
		verify(lock).close();
		assertThat(context.getBean(LockRegistry.class)).isSameAs(this.registry);
	}

	@Test
	void haveNothingToSayOfHealthAndLocks(@Autowired ApplicationContext context) {
		HealthContributorRegistry contributors = context.getBean(HealthContributorRegistry.class);
		assertThat(contributors.getContributor("distributedLock")).isNull();
		assertThat(context.getBeansOfType(LocksEndpoint.class)).isNotEmpty();
		assertThat(context.getBeansOfType(LockGauges.class)).isNotEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockActuateAutoConfiguration.class,
			LockObservationAutoConfiguration.class, LockAdapterAutoConfiguration.class,
			HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class })
	static class Application {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class Shop {

		@DistributedLock(key = "#id")
		String ship(String id) {
			return "shipped " + id;
		}

	}

}
