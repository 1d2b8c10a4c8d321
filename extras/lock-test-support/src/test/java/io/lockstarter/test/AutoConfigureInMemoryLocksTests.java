package io.lockstarter.test;

import io.lockstarter.core.LockHandle;
import io.lockstarter.test.OrderApplication.OrderService;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the annotation where nothing else is configured, as in a test slice.
 */
@SpringJUnitConfig
@AutoConfigureInMemoryLocks
class AutoConfigureInMemoryLocksTests {

	@Autowired
	private OrderService orders;

	@Autowired
	private InMemoryLocks locks;

	@Test
	void bringsTheLocks() {
		assertThatLocked(() -> this.orders.ship("42")).holdsOnly("OrderService.ship:42");
		try (LockHandle held = this.locks.heldByAnother("OrderService.shipOrSkip:42")) {
			assertThat(this.orders.shipOrSkip("42")).isNull();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(OrderService.class)
	static class Slice {

	}

}
