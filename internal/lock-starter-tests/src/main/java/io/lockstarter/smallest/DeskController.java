package io.lockstarter.smallest;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;

import org.springframework.context.ApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The way to the desk.
 */
@RestController
class DeskController {

	private final Desk desk;

	private final LockRegistry locks;

	private final ApplicationContext context;

	DeskController(Desk desk, LockRegistry locks, ApplicationContext context) {
		this.desk = desk;
		this.locks = locks;
		this.context = context;
	}

	@PostMapping("/work/{order}")
	String work(@PathVariable String order) throws InterruptedException {
		return this.desk.work(order);
	}

	@PostMapping("/finish")
	void finish() {
		this.desk.finish();
	}

	/** Returns whether locks can be acquired. */
	@GetMapping("/ready")
	boolean ready() throws InterruptedException {
		try {
			this.locks.acquire(LockRequest.of("ready")).close();
			return true;
		}
		catch (LockBackendException ex) {
			return false;
		}
	}

	/** The types of all beans. */
	@GetMapping("/beans")
	List<String> beans() {
		return Arrays.stream(this.context.getBeanDefinitionNames())
			.map(this.context::getType)
			.filter(Objects::nonNull)
			.map(Class::getName)
			.toList();
	}

}
