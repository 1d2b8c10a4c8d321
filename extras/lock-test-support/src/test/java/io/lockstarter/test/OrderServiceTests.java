package io.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockType;
import io.lockstarter.test.OrderApplication.Losses;
import io.lockstarter.test.OrderApplication.OrderService;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of a user's application, as the user writes them.
 */
@SpringBootTest(properties = "distributed-lock.wait-time=0")
@AutoConfigureInMemoryLocks
class OrderServiceTests {

	@Autowired
	private OrderService orders;

	@Autowired
	private InMemoryLocks locks;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private Losses losses;

	@Test
	void locksTheOrder() {
		assertThatLocked(() -> this.orders.ship("42")).holds("OrderService.ship:42");
		assertThatLocked(() -> this.orders.unlocked("42")).holdsNothing();
	}

	@Test
	void locksAsTheAnnotationSays() {
		assertThatLocked(() -> this.orders.stock()).holds("stock", LockType.READ);
		assertThatLocked(() -> this.orders.crawl()).holdsPermit("crawler", 3)
			.satisfies((held) -> assertThat(held.get(0).leaseTime()).isEqualTo(Duration.ofMinutes(1)));
		assertThatLocked(() -> this.orders.transfer(List.of("1", "2"))).holdsOnly("account:1", "account:2");
		assertThatLocked(() -> this.orders.shipLater("42").join()).holdsOnly("OrderService.shipLater:42");
		assertThatLocked(() -> this.orders.shipReactively("42").block()).holdsOnly("OrderService.shipReactively:42");
	}

	@Test
	void refusesAnOrderThatAnotherInstanceShips() {
		try (LockHandle held = this.locks.heldByAnother("OrderService.ship:42")) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> this.orders.ship("42"))
				.withMessageContaining("another-instance");
		}
		assertThat(this.orders.ship("42")).isEqualTo("shipped 42");
	}

	@Test
	void skipsAnOrderThatAnotherInstanceShips() {
		try (LockHandle held = this.locks.heldByAnother("OrderService.shipOrSkip:42")) {
			assertThat(this.orders.shipOrSkip("42")).isNull();
		}
	}

	@Test
	void losesAReportThatTakesLongerThanItsLease() throws InterruptedException {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.orders.report(() -> this.locks.advance(Duration.ofMinutes(11))))
			.withMessageContaining("leaseTime of 600s was shorter than the 660");
		assertThat(lossOf("report").reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
	}

	@Test
	void keepsAnExportThatTakesLongerThanItsLease() {
		assertThat(this.orders.export(() -> this.locks.advance(Duration.ofHours(10)))).isPositive();
	}

	@Test
	void losesAnExportWhoseInstanceStands() throws InterruptedException {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.orders.export(() -> {
			this.locks.pause(Duration.ofSeconds(30));
			this.locks.heldByAnother("export").close();
		}));
		assertThat(lossOf("export").reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
	}

	/** Other tests, some of which share the application, lose other locks. */
	private LockLoss lossOf(String name) throws InterruptedException {
		LockLoss loss = this.losses.all().poll(1, TimeUnit.MINUTES);
		while (loss != null && !loss.name().equals(name)) {
			loss = this.losses.all().poll(1, TimeUnit.MINUTES);
		}
		assertThat(loss).as("loss of " + name).isNotNull();
		return loss;
	}

	@Test
	void hasTheRegistryOfTheApplication() {
		assertThat(this.locks.registry()).isSameAs(this.registry);
	}

}
