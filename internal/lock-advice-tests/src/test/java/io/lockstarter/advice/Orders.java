package io.lockstarter.advice;

import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.aop.ObservedAspect;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.aspectj.lang.annotation.Aspect;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Configurations that say in which order the advice is.
 */
final class Orders {

	/** The properties that go with {@link Turned}. */
	static final String[] TURNED = { "resilience4j.retry.retry-aspect-order=2147483442",
			"resilience4j.circuitbreaker.circuit-breaker-aspect-order=2147483443",
			"resilience4j.ratelimiter.rate-limiter-aspect-order=2147483444",
			"resilience4j.timelimiter.time-limiter-aspect-order=2147483445",
			"resilience4j.bulkhead.bulkhead-aspect-order=2147483446" };

	private Orders() {
	}

	/**
	 * As the libraries have it.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@EnableRetry
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	@EnableTransactionManagement
	static class ByDefault {

	}

	/**
	 * The other way round, where the user can say so.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	@EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 200)
	@EnableSchedulerLock(order = 0, defaultLockAtMostFor = "1m")
	@EnableTransactionManagement(order = 0)
	static class Turned {

		@Bean
		OuterTimedAspect timedAspect(MeterRegistry registry) {
			return new OuterTimedAspect(registry);
		}

		@Bean
		OuterObservedAspect observedAspect(ObservationRegistry registry) {
			return new OuterObservedAspect(registry);
		}

	}

	@Aspect
	@Order(0)
	static class OuterTimedAspect extends TimedAspect {

		OuterTimedAspect(MeterRegistry registry) {
			super(registry);
		}

	}

	@Aspect
	@Order(0)
	static class OuterObservedAspect extends ObservedAspect {

		OuterObservedAspect(ObservationRegistry registry) {
			super(registry);
		}

	}

}
