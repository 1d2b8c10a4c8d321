package io.lockstarter.benchmarks.start;

import java.io.IOException;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Web application with Redisson's starter, which locks its work.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(RedissonApplication.Controller.class)
public class RedissonApplication {

	/**
	 * Runs the application.
	 * @param args properties
	 * @throws IOException if its input cannot be read
	 */
	public static void main(String[] args) throws IOException {
		Measured.run(RedissonApplication.class, args);
	}

	/**
	 * Does the work.
	 */
	@RestController
	static class Controller implements Work {

		private final RedissonClient redisson;

		Controller(RedissonClient redisson) {
			this.redisson = redisson;
		}

		@Override
		@GetMapping("/work")
		public void call() {
			RLock lock = this.redisson.getLock("work-lock");
			lock.lock();
			try {
				// Held for no time
			}
			finally {
				lock.unlock();
			}
		}

	}

}
