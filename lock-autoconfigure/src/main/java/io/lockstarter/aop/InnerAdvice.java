package io.lockstarter.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Advice of other libraries that by default runs inside a lock, where it usually does not
 * have the intended effect. It is identified by name, because this library does not
 * depend on the others.
 */
enum InnerAdvice {

	/** Retries by spring-retry. */
	SPRING_RETRY("spring-retry's @Retryable", "org.springframework.retry.annotation.Retryable",
			"org.springframework.retry.annotation.RetryConfiguration", Effects.RETRY, "@EnableRetry(order = %d)", 100),

	/** Retries by Resilience4j. */
	RETRY("Resilience4j's @Retry", "io.github.resilience4j.retry.annotation.Retry",
			"io.github.resilience4j.spring6.retry.configure.RetryAspect", Effects.RETRY,
			"resilience4j.retry.retry-aspect-order=%d", 105),

	/** Circuit breakers of Resilience4j, which open after failures. */
	CIRCUIT_BREAKER("Resilience4j's @CircuitBreaker", "io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker",
			"io.github.resilience4j.spring6.circuitbreaker.configure.CircuitBreakerAspect",
			"calls wait for the lock even while the circuit is open, and a call whose lock is held does not count as failed",
			"resilience4j.circuitbreaker.circuit-breaker-aspect-order=%d", 104),

	/** Rate limits of Resilience4j. */
	RATE_LIMITER("Resilience4j's @RateLimiter", "io.github.resilience4j.ratelimiter.annotation.RateLimiter",
			"io.github.resilience4j.spring6.ratelimiter.configure.RateLimiterAspect",
			"the lock is held while a call waits for its turn", "resilience4j.ratelimiter.rate-limiter-aspect-order=%d",
			103),

	/** Time limits of Resilience4j. */
	TIME_LIMITER("Resilience4j's @TimeLimiter", "io.github.resilience4j.timelimiter.annotation.TimeLimiter",
			"io.github.resilience4j.spring6.timelimiter.configure.TimeLimiterAspect",
			"the time limit does not bound the wait for the lock",
			"resilience4j.timelimiter.time-limiter-aspect-order=%d", 102),

	/** Bulkheads of Resilience4j, which limit concurrent calls. */
	BULKHEAD("Resilience4j's @Bulkhead", "io.github.resilience4j.bulkhead.annotation.Bulkhead",
			"io.github.resilience4j.spring6.bulkhead.configure.BulkheadAspect",
			"calls that wait for the lock are not limited, and the lock is held while a call waits for its turn",
			"resilience4j.bulkhead.bulkhead-aspect-order=%d", 101);

	private final String label;

	private final String annotation;

	private final String origin;

	private final String effect;

	private final String remedy;

	private final int distance;

	/**
	 * Describes the advice.
	 * @param label the annotation for messages
	 * @param annotation the class of the annotation
	 * @param origin the class of the aspect or advisor
	 * @param effect the effect of running inside a lock
	 * @param remedy the setting that reverses the order, without its value
	 * @param distance the difference between that value and the order of the lock
	 */
	InnerAdvice(String label, String annotation, String origin, String effect, String remedy, int distance) {
		this.label = label;
		this.annotation = annotation;
		this.origin = origin;
		this.effect = effect;
		this.remedy = remedy;
		this.distance = distance;
	}

	String label() {
		return this.label;
	}

	String effect() {
		return this.effect;
	}

	/** Returns the setting that moves this advice outside locks of the given order. */
	String remedy(int lockOrder) {
		return this.remedy.formatted(Math.max(Integer.MIN_VALUE, (long) lockOrder - this.distance));
	}

	boolean comesFrom(@Nullable Class<?> type) {
		return type != null && type.getName().equals(this.origin);
	}

	boolean isOn(Method method, Class<?> targetClass) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(this.annotation)
				|| MergedAnnotations.from(targetClass, SearchStrategy.TYPE_HIERARCHY).isPresent(this.annotation);
	}

	/** Effects that several constants share. */
	private static final class Effects {

		static final String RETRY = "the lock is held through all attempts and the pauses between them, and a call whose lock is held is not retried";

		private Effects() {
		}

	}

}
