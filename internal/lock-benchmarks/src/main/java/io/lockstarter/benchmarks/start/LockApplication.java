package io.lockstarter.benchmarks.start;

import java.io.IOException;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Web application with Lock Starter, which locks its work.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(LockApplication.Controller.class)
public class LockApplication {

	/**
	 * Runs the application.
	 * @param args properties
	 * @throws IOException if its input cannot be read
	 */
	public static void main(String[] args) throws IOException {
		Measured.run(LockApplication.class, args);
	}

	/**
	 * Does the work.
	 */
	@RestController
	static class Controller implements Work {

		@Override
		@GetMapping("/work")
		@DistributedLock(name = "work")
		public void call() {
		}

	}

}
