package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import org.jspecify.annotations.Nullable;

/**
 * Resources of the locks' own client. They share the threads of the application's client
 * if the application has configured them, and its resolver, event bus, tracing and
 * metrics. A client without configured resources would shut its threads down when it is
 * stopped, so the locks then have a few threads of their own.
 */
final class LettuceResources {

	/**
	 * Maximum delay between two attempts to reconnect: 500 ms. Lettuce's default grows to
	 * half a minute, which is as long as a lease.
	 */
	private static final Duration MAX_DELAY = Duration.ofMillis(500);

	/** Number of threads of each of Lettuce's two pools. */
	private static final int THREADS = 2;

	private LettuceResources() {
	}

	/**
	 * Returns the resources of the locks' client. Shutting them down does not affect
	 * those of the application.
	 * @param application the resources that the application has configured, or
	 * {@code null}
	 * @param replyTimeout the time after which a connection without any reply is replaced
	 */
	static ClientResources of(@Nullable ClientResources application, Duration replyTimeout) {
		ClientResources.Builder resources = (application != null) ? sharing(application)
				: ClientResources.builder().ioThreadPoolSize(THREADS).computationThreadPoolSize(THREADS);
		return resources.nettyCustomizer(new ReplyTimeout(replyTimeout,
				(application != null) ? application.nettyCustomizer() : new NettyCustomizer() {
				}))
			.reconnectDelay(() -> Delay.fullJitter(Duration.ofMillis(10), MAX_DELAY, 10, TimeUnit.MILLISECONDS))
			.build();
	}

	/**
	 * Returns a builder of resources with the same contents except for the event bus, so
	 * that its events concern only connections of the locks. {@code mutate()} would stop
	 * the application's publication of its metrics.
	 */
	private static ClientResources.Builder sharing(ClientResources application) {
		return ClientResources.builder()
			.eventLoopGroupProvider(application.eventLoopGroupProvider())
			.eventExecutorGroup(application.eventExecutorGroup())
			.timer(application.timer())
			.commandLatencyRecorder(application.commandLatencyRecorder())
			.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
			.addressResolverGroup(application.addressResolverGroup())
			.socketAddressResolver(application.socketAddressResolver())
			.tracing(application.tracing());
	}

}
