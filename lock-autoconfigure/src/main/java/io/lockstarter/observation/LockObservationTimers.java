package io.lockstarter.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Handler that records the timers of requests and holds from their observations. It
 * replaces Micrometer's handler, which also keeps a long task timer for each observation.
 * That would cost more than everything else, and {@link LockGauges} show the same.
 */
public final class LockObservationTimers implements MeterObservationHandler<TimedContext> {

	private final MeterRegistry registry;

	/**
	 * Creates a handler.
	 * @param registry the registry of the timers
	 */
	public LockObservationTimers(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof TimedContext;
	}

	@Override
	public void onStart(TimedContext context) {
		context.startedAt(this.registry.config().clock().monotonicTime());
	}

	@Override
	public void onStop(TimedContext context) {
		long nanos = this.registry.config().clock().monotonicTime() - context.start();
		LockMeterDocumentation meter = context.meter();
		Timer.builder(Objects.requireNonNullElse(context.getName(), meter.getName()))
			.description(meter.description())
			.tags(tags(context))
			.register(this.registry)
			.record(nanos, TimeUnit.NANOSECONDS);
	}

	private static List<Tag> tags(Observation.Context context) {
		List<Tag> tags = new ArrayList<>(4);
		for (KeyValue value : context.getLowCardinalityKeyValues()) {
			tags.add(Tag.of(value.getKey(), value.getValue()));
		}
		return tags;
	}

}
