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
 * The other instances, called over a channel of Redis.
 */
@Component
class Neighbours {

	private static final Log logger = LogFactory.getLog(Neighbours.class);

	private static final String CALLS = "sample:experiments:calls";

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final ReactiveStringRedisTemplate redis;

	Neighbours(ReactiveStringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Return what all instances are called to do.
	 * @return the calls, those of this instance among them
	 */
	Flux<String> calls() {
		return listen(() -> this.redis.listenToChannel(CALLS)).map(Message::getMessage);
	}

	/**
	 * Call on all instances, including this one.
	 * @param call what to do
	 * @return how many instances hear it; none if Redis does not answer
	 */
	long call(String call) {
		return this.redis.convertAndSend(CALLS, call).timeout(PATIENCE).onErrorResume((ex) -> {
			logger.warn("The instances cannot be called", ex);
			return Mono.just(0L);
		}).blockOptional().orElse(0L);
	}

	/**
	 * What Spring Data returns can be listened to once only, so each attempt gets its
	 * own.
	 */
	private static <M extends Message<String, String>> Flux<M> listen(Supplier<Flux<M>> messages) {
		return Flux.defer(messages)
			.subscribeOn(Schedulers.boundedElastic())
			.retryWhen(Retry.fixedDelay(Long.MAX_VALUE, PATIENCE)
				.doBeforeRetry((attempt) -> logger.debug("Listens to the other instances again", attempt.failure())));
	}

}
