package io.lockstarter.sample.board;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.lockstarter.actuate.LocksDescriptor;
import io.lockstarter.autoconfigure.DistributedLockProperties;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.sample.SampleProperties;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Shows the locks of this instance four times a second, beside those of the others.
 */
@Component
class Board {

	private static final int PERIOD_MILLIS = 250;

	/** How many snapshots wait for a slow browser before the oldest is left out. */
	private static final int BACKLOG = 16;

	private final SampleProperties sample;

	private final DistributedLockProperties settings;

	private final LockMonitor locks;

	private final Tally tally;

	private final EventLog events;

	private final Neighbours neighbours;

	private final JsonMapper json;

	private final Sinks.Many<String> own = Sinks.many().multicast().directBestEffort();

	private final Sinks.Empty<Void> closed = Sinks.empty();

	Board(SampleProperties sample, DistributedLockProperties settings, LockMonitor monitor, Tally tally,
			EventLog events, Neighbours neighbours, JsonMapper json) {
		this.sample = sample;
		this.settings = settings;
		this.locks = monitor;
		this.tally = tally;
		this.events = events;
		this.neighbours = neighbours;
		this.json = json;
	}

	/**
	 * Return what all instances show from now on. Those of this one come even while Redis
	 * is away.
	 * @return snapshots as JSON
	 */
	Flux<String> snapshots() {
		return Flux.merge(this.own.asFlux(), this.neighbours.snapshots())
			.takeUntilOther(this.closed.asMono())
			.onBackpressureBuffer(BACKLOG, (snapshot) -> {
			}, BufferOverflowStrategy.DROP_OLDEST);
	}

	@Scheduled(fixedRate = PERIOD_MILLIS, timeUnit = TimeUnit.MILLISECONDS)
	void show() {
		String snapshot = this.json.writeValueAsString(snapshot());
		this.own.tryEmitNext(snapshot);
		this.neighbours.show(snapshot);
	}

	private Snapshot snapshot() {
		return new Snapshot(this.sample.instance(), Instant.now(), this.settings.leaseTime().toMillis(),
				LocksDescriptor.of(this.locks), this.tally.figures(), this.events.latest());
	}

	/** An open stream would hold up the shutdown. */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.closed.tryEmitEmpty();
	}

}
