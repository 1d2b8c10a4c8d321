package io.lockstarter.test;

import io.lockstarter.core.LockHandle;
import io.lockstarter.test.OrderApplication.OrderService;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a test slice that has the locks.
 */
@WebMvcTest
@AutoConfigureInMemoryLocks
@Import(WebSliceTests.OrderController.class)
class WebSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private InMemoryLocks locks;

	@Test
	void locksWhatARequestDoes() {
		assertThatLocked(() -> assertThat(this.mvc.post().uri("/orders/42")).hasStatusOk())
			.holdsOnly("OrderService.shipOrSkip:42");
	}

	@Test
	void refusesWhatAnotherInstanceDoes() {
		try (LockHandle held = this.locks.heldByAnother("OrderService.shipOrSkip:42")) {
			assertThat(this.mvc.post().uri("/orders/42")).hasBodyTextEqualTo("busy");
		}
		assertThat(this.mvc.post().uri("/orders/42")).hasBodyTextEqualTo("shipped 42");
	}

	@RestController
	static class OrderController {

		private final OrderService orders;

		OrderController(OrderService orders) {
			this.orders = orders;
		}

		@PostMapping("/orders/{id}")
		String ship(@PathVariable String id) {
			String shipped = this.orders.shipOrSkip(id);
			return (shipped != null) ? shipped : "busy";
		}

	}

}
