package io.lockstarter.advice;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.resilience.InvocationRejectedException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each advice, and how to find out by what it does whether it is outside of the lock.
 */
enum Advice {

	/** A busy lock begins no transaction if that is inside. */
	TRANSACTIONAL("`@Transactional`", false, "`@EnableTransactionManagement(order = 0)`", (office) -> {
		assertThat(office.whileBusy("transactional", office.desk()::transactional)).isPresent();
		return office.bean(Libraries.Transactions.class).begun() > 0;
	}),

	/** A value that is in the cache already can be had while the lock is busy. */
	CACHEABLE("`@Cacheable`", false, "`@EnableCaching(order = 0)`", (office) -> {
		office.desk().cacheable();
		return office.whileBusy("cacheable", office.desk()::cacheable).isEmpty();
	}),

	/** The caller does not get the failure. */
	ASYNC("`@Async`", true, null, (office) -> office.whileBusy("async", office.desk()::async).isEmpty()),

	/** A busy lock is asked for again. */
	RETRYABLE("Framework's `@Retryable`", true, null, (office) -> {
		assertThat(office.whileBusy("retryable", office.desk()::retryable)).isPresent();
		return attempts(office.requests("retryable"));
	}),

	/** Who waits for the lock counts. */
	CONCURRENCY_LIMIT("`@ConcurrencyLimit`", true, null,
			(office) -> office.refusesWhileAnotherWaits("concurrencyLimit", office.desk()::concurrencyLimit,
					InvocationRejectedException.class)),

	/** A busy lock is asked for again. */
	SPRING_RETRY("spring-retry's `@Retryable`", false, "`@EnableRetry(order = Ordered.LOWEST_PRECEDENCE - 200)`",
			(office) -> {
				assertThat(office.whileBusy("springRetry", office.desk()::springRetry)).isPresent();
				return attempts(office.requests("springRetry"));
			}),

	/** A busy lock is asked for again. */
	RETRY("Resilience4j's `@Retry`", false, property(0), (office) -> {
		assertThat(office.whileBusy("retry", office.desk()::retry)).isPresent();
		return attempts(office.requests("retry"));
	}),

	/** A busy lock is a failure. */
	CIRCUIT_BREAKER("… `@CircuitBreaker`", false, property(1), (office) -> {
		assertThat(office.whileBusy("circuitBreaker", office.desk()::circuitBreaker)).isPresent();
		return office.bean(CircuitBreakerRegistry.class)
			.circuitBreaker(Desk.CONFIGURED)
			.getMetrics()
			.getNumberOfFailedCalls() > 0;
	}),

	/** A call that finds the lock busy counts. */
	RATE_LIMITER("… `@RateLimiter`", false, property(2), (office) -> {
		assertThat(office.whileBusy("rateLimiter", office.desk()::rateLimiter)).isPresent();
		return office.bean(RateLimiterRegistry.class)
			.rateLimiter(Desk.CONFIGURED)
			.getMetrics()
			.getAvailablePermissions() < 1;
	}),

	/** The time limit ends the wait for the lock. */
	TIME_LIMITER("… `@TimeLimiter`", false, property(3), (office) -> {
		Exception failure = office.whileBusy("timeLimiter", () -> office.desk().timeLimiter().join()).orElseThrow();
		assertThat(failure).isInstanceOf(CompletionException.class);
		return isOneOf(failure.getCause(), TimeoutException.class);
	}),

	/** Who waits for the lock counts. */
	BULKHEAD("… `@Bulkhead`", false, property(4),
			(office) -> office.refusesWhileAnotherWaits("bulkhead", office.desk()::bulkhead,
					BulkheadFullException.class)),

	/** The refusal comes before the busy lock. */
	PRE_AUTHORIZE("`@PreAuthorize`", true, null, (office) -> {
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("somebody", null));
		try {
			return isOneOf(office.whileBusy("preAuthorize", office.desk()::preAuthorize).orElseThrow(),
					AccessDeniedException.class);
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}),

	/** A call that finds the lock busy is timed. */
	TIMED("`@Timed`", false, "an aspect with `@Order(0)` that extends `TimedAspect`", (office) -> {
		assertThat(office.whileBusy("timed", office.desk()::timed)).isPresent();
		return office.bean(MeterRegistry.class).find("desk.timed").timer() != null;
	}),

	/** A call that finds the lock busy is observed. */
	OBSERVED("`@Observed`", false, "an aspect with `@Order(0)` that extends `ObservedAspect`", (office) -> {
		assertThat(office.whileBusy("observed", office.desk()::observed)).isPresent();
		return office.bean(MeterRegistry.class).find("desk.observed").timer() != null;
	}),

	/** The next run asks for the lock again. */
	SCHEDULED("`@Scheduled`", true, null, (office) -> {
		long before = office.requests("scheduled");
		return office.whileBusy("scheduled", () -> await().until(() -> office.requests("scheduled") > before + 2))
			.isEmpty();
	}),

	/** ShedLock is asked before the busy lock. */
	SCHEDULER_LOCK("ShedLock's `@SchedulerLock`", false, "`@EnableSchedulerLock(order = 0)`", (office) -> {
		assertThat(office.whileBusy("schedulerLock", office.desk()::schedulerLock)).isPresent();
		return office.bean(Libraries.ShedLocks.class).asked() > 0;
	});

	private final String label;

	private final boolean outside;

	private final String remedy;

	private final Predicate<Office> outsideIn;

	/**
	 * Describe an advice.
	 * @param label the annotation as the document has it
	 * @param outside whether it is outside of the lock by default
	 * @param remedy what turns that round, or {@code null} if nothing simple does
	 * @param outsideIn finds out whether it is outside of the lock
	 */
	Advice(String label, boolean outside, String remedy, Predicate<Office> outsideIn) {
		this.label = label;
		this.outside = outside;
		this.remedy = remedy;
		this.outsideIn = outsideIn;
	}

	private static String property(int index) {
		return "`%s`".formatted(Orders.TURNED[index]);
	}

	private static boolean attempts(long requests) {
		assertThat(requests).isIn(1L, 3L);
		return requests == 3;
	}

	private static boolean isOneOf(Throwable failure, Class<? extends Throwable> ofAdvice) {
		assertThat(failure).isInstanceOfAny(ofAdvice, LockAcquisitionTimeoutException.class);
		return ofAdvice.isInstance(failure);
	}

	boolean isOutsideIn(Office office) {
		return this.outsideIn.test(office);
	}

	boolean isOutsideByDefault() {
		return this.outside;
	}

	boolean hasRemedy() {
		return this.remedy != null;
	}

	/** The row of the document. */
	List<String> row() {
		return List.of(this.label, this.outside ? "outside" : "inside", (this.remedy != null) ? this.remedy : "–");
	}

}
