package io.lockstarter.test;

import java.time.Duration;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.test.AutoConfigureInMemoryLocks;
import io.lockstarter.test.InMemoryLocks;
import io.lockstarter.test.OrderApplication.OrderService;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What docs/guide.md shows of tests.
 */
@SpringBootTest(properties = "distributed-lock.wait-time=0")
@AutoConfigureInMemoryLocks
class TestingGuideTests {

	@Test
	void assertsThatAMethodIsLocked(@Autowired OrderService orders) {
		assertThatLocked(() -> orders.ship("42")).holds("OrderService.ship:42");
	}

	@Test
	void holdsALockForAnotherInstance(@Autowired OrderService orders, @Autowired InMemoryLocks locks) {
		try (LockHandle held = locks.heldByAnother("OrderService.ship:42")) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> orders.ship("42"));
		}
	}

	@Test
	void endsLeases(@Autowired LockRegistry registry, @Autowired InMemoryLocks locks) throws InterruptedException {
		LockHandle fixed = registry.acquire(LockRequest.of("a").leaseTime(Duration.ofMinutes(10)));
		LockHandle renewed = registry.acquire(LockRequest.of("b"));
		locks.advance(Duration.ofMinutes(10));
		assertThat(fixed.isValid()).isFalse();
		assertThat(renewed.isValid()).isTrue();
		locks.pause(Duration.ofMinutes(10));
		assertThat(renewed.isValid()).isFalse();
	}

}
