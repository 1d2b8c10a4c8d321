package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

import org.springframework.data.redis.connection.ReactiveSubscription.Message;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Calls to all instances over a channel of Redis.
 */
@Component
class Neighbours {

	private static final Log logger = LogFactory.getLog(Neighbours.class);

	private static final String CALLS = "sample:experiments:calls";

	/** Maximum time to publish a call, and delay before a new subscription: 1 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final ReactiveStringRedisTemplate redis;

	Neighbours(ReactiveStringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Returns the calls to all instances.
	 * @return the calls, including those of this instance
	 */
	Flux<String> calls() {
		return subscribe(() -> this.redis.listenToChannel(CALLS)).map(Message::getMessage);
	}

	/**
	 * Calls all instances, including this one.
	 * @param call the task
	 * @return the number of subscribed instances, or 0 if Redis does not reply
	 */
	long call(String call) {
		return this.redis.convertAndSend(CALLS, call).timeout(TIMEOUT).onErrorResume((ex) -> {
			logger.warn("The instances cannot be called", ex);
			return Mono.just(0L);
		}).blockOptional().orElse(0L);
	}

	/**
	 * Subscribes to messages, and subscribes again after a failure. Each attempt gets a
	 * new publisher, because those of Spring Data support only one subscription.
	 */
	private static <M extends Message<String, String>> Flux<M> subscribe(Supplier<Flux<M>> messages) {
		return Flux.defer(messages)
			.subscribeOn(Schedulers.boundedElastic())
			.retryWhen(Retry.fixedDelay(Long.MAX_VALUE, TIMEOUT)
				.doBeforeRetry((attempt) -> logger.debug("Subscribes to the calls again", attempt.failure())));
	}

}
