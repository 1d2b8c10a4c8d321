package io.lockstarter.observation;

import java.time.Duration;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import io.lockstarter.observation.LockMeterDocumentation.Tag;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Timers of requests and holds, used without {@link LockObservations}.
 */
public final class LockTimers implements LockListener {

	private final MeterProvider<Timer> acquire;

	private final MeterProvider<Timer> hold;

	/**
	 * Creates timers in a registry.
	 * @param registry the registry of the timers
	 */
	public LockTimers(MeterRegistry registry) {
		this.acquire = timer(LockMeterDocumentation.ACQUIRE, registry);
		this.hold = timer(LockMeterDocumentation.HOLD, registry);
	}

	private static MeterProvider<Timer> timer(LockMeterDocumentation meter, MeterRegistry registry) {
		return Timer.builder(meter.getName()).description(meter.description()).withRegistry(registry);
	}

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		this.acquire.withTags(LockMeters.tags(lock).and(Tag.OUTCOME.asString(), "acquired")).record(waited);
	}

	@Override
	public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
		Tags tags = LockMeters.tags(request.metricName(), request.type(), request.registry());
		this.acquire.withTags(tags.and(Tag.OUTCOME.asString(), TagValues.of(request, outcome))).record(waited);
	}

	@Override
	public void released(LockHandle lock, Duration held) {
		this.hold.withTags(LockMeters.tags(lock)).record(held);
	}

	@Override
	public void lost(LockLoss loss) {
		this.hold.withTags(LockMeters.tags(loss.metricName(), loss.type(), loss.registry())).record(loss.heldFor());
	}

}
