package io.lockstarter.test;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.test.OrderApplication.OrderService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests of applications whose locks nobody sees, beside another whose locks are recorded.
 */
class UnrecordedRegistryTests {

	private InMemoryLocks recorded;

	@BeforeEach
	void record() {
		this.recorded = InMemoryLocks.create();
	}

	@AfterEach
	void close() {
		this.recorded.close();
	}

	private static void assertThatAssertionIsRefused(OrderService orders, String registry) {
		assertThatIllegalStateException().isThrownBy(() -> assertThatLocked(() -> orders.ship("42")).holdsNothing())
			.withMessageContaining(registry)
			.withMessageContaining("@AutoConfigureInMemoryLocks");
	}

	@Nested
	@SpringJUnitConfig
	@AutoConfigureInMemoryLocks
	class OfTheUser {

		@Autowired
		private OrderService orders;

		@Test
		void isRefused() {
			assertThatAssertionIsRefused(this.orders, "'ownRegistry'");
		}

		@Configuration(proxyBeanMethods = false)
		@Import(OrderService.class)
		static class Application {

			@Bean
			LockRegistry ownRegistry() {
				return mock();
			}

		}

	}

	@Nested
	@SpringBootTest(classes = OrderApplication.class, properties = "distributed-lock.backend=in-memory")
	class InThePlaceOfOurs {

		@MockitoBean
		private LockRegistry mock;

		@Autowired
		private OrderService orders;

		@Test
		void isRefused() {
			assertThatAssertionIsRefused(this.orders, "'distributedLockRegistry'");
		}

	}

	@Nested
	@SpringJUnitConfig
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	@TestPropertySource(properties = "distributed-lock.backend=in-memory")
	class WithoutARecorder {

		@Autowired
		private OrderService orders;

		@Test
		void isRefused() {
			assertThatAssertionIsRefused(this.orders, "'distributedLockRegistry'");
		}

		@Configuration(proxyBeanMethods = false)
		@Import(OrderService.class)
		static class Application {

		}

	}

	@Nested
	@SpringJUnitConfig
	class OfNoApplication {

		@Test
		void leavesThoseThatATestMakes() {
			LockRegistry registry = UnrecordedRegistryTests.this.recorded.registry();
			assertThatLocked(() -> registry.acquire(LockRequest.of("a")).close()).holdsOnly("a");
		}

		@Configuration(proxyBeanMethods = false)
		static class Application {

		}

	}

}
