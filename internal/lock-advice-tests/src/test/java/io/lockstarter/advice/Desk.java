package io.lockstarter.advice;

import java.util.concurrent.CompletableFuture;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import io.lockstarter.annotation.DistributedLock;
import io.micrometer.core.annotation.Timed;
import io.micrometer.observation.annotation.Observed;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.transaction.annotation.Transactional;

/**
 * Locked methods, each with one other advice. The name of a lock is that of its method.
 */
class Desk {

	static final String CONFIGURED = "desk";

	@Transactional
	@DistributedLock(name = "transactional", waitTime = "0")
	public void transactional() {
	}

	@Cacheable("desk")
	@DistributedLock(name = "cacheable", waitTime = "0")
	public String cacheable() {
		return "looked up";
	}

	@Async
	@DistributedLock(name = "async", waitTime = "0")
	public void async() {
	}

	@Retryable(maxRetries = 2, delay = 1)
	@DistributedLock(name = "retryable", waitTime = "0")
	public void retryable() {
	}

	@ConcurrencyLimit(limit = 1, policy = ThrottlePolicy.REJECT)
	@DistributedLock(name = "concurrencyLimit", key = "#desk", waitTime = "1m")
	public void concurrencyLimit(String desk) {
	}

	@org.springframework.retry.annotation.Retryable(maxAttempts = 3,
			backoff = @org.springframework.retry.annotation.Backoff(delay = 1))
	@DistributedLock(name = "springRetry", waitTime = "0")
	public void springRetry() {
	}

	@Retry(name = CONFIGURED)
	@DistributedLock(name = "retry", waitTime = "0")
	public void retry() {
	}

	@CircuitBreaker(name = CONFIGURED)
	@DistributedLock(name = "circuitBreaker", waitTime = "0")
	public void circuitBreaker() {
	}

	@RateLimiter(name = CONFIGURED)
	@DistributedLock(name = "rateLimiter", waitTime = "0")
	public void rateLimiter() {
	}

	@Bulkhead(name = CONFIGURED)
	@DistributedLock(name = "bulkhead", key = "#desk", waitTime = "1m")
	public void bulkhead(String desk) {
	}

	@TimeLimiter(name = CONFIGURED)
	@DistributedLock(name = "timeLimiter", waitTime = "500ms")
	public CompletableFuture<String> timeLimiter() {
		return CompletableFuture.completedFuture("in time");
	}

	@PreAuthorize("denyAll")
	@DistributedLock(name = "preAuthorize", waitTime = "0")
	public void preAuthorize() {
	}

	@Timed("desk.timed")
	@DistributedLock(name = "timed", waitTime = "0")
	public void timed() {
	}

	@Observed(name = "desk.observed")
	@DistributedLock(name = "observed", waitTime = "0")
	public void observed() {
	}

	@Scheduled(fixedDelay = 50)
	@DistributedLock(name = "scheduled", waitTime = "0")
	public void scheduled() {
	}

	@SchedulerLock(name = "schedulerLock")
	@DistributedLock(name = "schedulerLock", waitTime = "0")
	public void schedulerLock() {
	}

	/** Has nothing to do with any of them. */
	@DistributedLock(name = "plain")
	public void plain() {
	}

}
