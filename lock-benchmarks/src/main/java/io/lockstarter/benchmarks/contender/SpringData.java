package io.lockstarter.benchmarks.contender;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connects Spring Data Redis as Spring Boot does by default.
 */
final class SpringData {

	private SpringData() {
	}

	static LettuceConnectionFactory connect(Setup setup) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(setup.host(), setup.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
