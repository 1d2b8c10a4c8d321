package io.lockstarter.benchmarks.start;

import java.io.IOException;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Web application with Spring Data Redis, which sends one command.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(RedisApplication.Controller.class)
public class RedisApplication {

	/**
	 * Runs the application.
	 * @param args properties
	 * @throws IOException if its input cannot be read
	 */
	public static void main(String[] args) throws IOException {
		Measured.run(RedisApplication.class, args);
	}

	/**
	 * Does the work.
	 */
	@RestController
	static class Controller implements Work {

		private final StringRedisTemplate redis;

		Controller(StringRedisTemplate redis) {
			this.redis = redis;
		}

		@Override
		@GetMapping("/work")
		public void call() {
			this.redis.opsForValue().set("work", "done");
		}

	}

}
