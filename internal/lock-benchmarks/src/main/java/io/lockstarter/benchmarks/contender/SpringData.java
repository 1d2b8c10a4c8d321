package io.lockstarter.benchmarks.contender;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of Spring Data Redis with the defaults of Spring Boot.
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
