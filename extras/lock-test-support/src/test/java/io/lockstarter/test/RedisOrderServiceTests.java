package io.lockstarter.test;

import io.lockstarter.core.LockType;
import io.lockstarter.test.OrderApplication.OrderService;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a user's application with Redis.
 */
@SpringBootTest
@DirtiesContext
class RedisOrderServiceTests {

	private static final RedisServer REDIS = RedisServer.start();

	@Autowired
	private OrderService orders;

	@Autowired
	private ObjectProvider<InMemoryLocks> locks;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.port", REDIS::port);
	}

	@AfterAll
	static void close() {
		REDIS.close();
	}

	@Test
	void seesTheLocksThatAreInRedis() {
		assertThatLocked(() -> this.orders.ship("42")).holdsOnly("OrderService.ship:42");
		assertThatLocked(() -> this.orders.stock()).holds("stock", LockType.READ);
		assertThatLocked(() -> this.orders.crawl()).holdsPermit("crawler", 3);
		assertThatLocked(() -> this.orders.shipLater("42").join()).holdsOnly("OrderService.shipLater:42");
		assertThatLocked(() -> this.orders.shipReactively("42").block()).holdsOnly("OrderService.shipReactively:42");
		assertThatLocked(() -> this.orders.unlocked("42")).holdsNothing();
	}

	@Test
	void hasNoLocksInMemory() {
		assertThat(this.locks.getIfAvailable()).isNull();
	}

}
