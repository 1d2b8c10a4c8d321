package io.lockstarter.sample.board;

import java.time.Duration;
import java.util.function.Supplier;

import io.lockstarter.sample.SampleProperties;
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
 * The other instances, spoken to over channels of Redis. Nothing here blocks; what an
 * instance says while Redis is away is not heard.
 */
@Component
class Neighbours {

	private static final Log logger = LogFactory.getLog(Neighbours.class);

	private static final String SNAPSHOTS = "sample:board:snapshots:";

	private static final String CALLS = "sample:board:calls";

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final ReactiveStringRedisTemplate redis;

	private final String ownChannel;

	private final Flux<String> snapshots;

	Neighbours(ReactiveStringRedisTemplate redis, SampleProperties properties) {
		this.redis = redis;
		this.ownChannel = SNAPSHOTS + properties.instance();
		this.snapshots = listen(() -> redis.listenToPattern(SNAPSHOTS + "*"))
			.filter((message) -> !message.getChannel().equals(this.ownChannel))
			.<String>map(Message::getMessage)
			.share();
	}

	/**
	 * Return what the others show, while somebody listens.
	 * @return their snapshots
	 */
	Flux<String> snapshots() {
		return this.snapshots;
	}

	/**
	 * Show the others a snapshot. Where that fails, they see that they hear nothing.
	 * @param snapshot the snapshot of this instance
	 */
	void show(String snapshot) {
		this.redis.convertAndSend(this.ownChannel, snapshot)
			.timeout(PATIENCE)
			.subscribe((heard) -> logger.trace("Heard by " + heard),
					(ex) -> logger.debug("No other instance hears of the locks of this one", ex));
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
	 * @return how many instances hear it
	 */
	Mono<Long> call(String call) {
		return this.redis.convertAndSend(CALLS, call).timeout(PATIENCE);
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
