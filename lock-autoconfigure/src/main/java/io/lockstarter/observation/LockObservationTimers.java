package io.lockstarter.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Makes the timers of observed requests and holds, in place of Micrometer's own handler:
 * the same timers as {@link LockTimers}. What is under way is told by {@link LockGauges};
 * a timer of that, which Micrometer's handler keeps for each observation, would cost more
 * than all the rest.
 */
public final class LockObservationTimers implements MeterObservationHandler<Observation.Context> {

	private final MeterRegistry registry;

	/**
	 * Record to a registry.
	 * @param registry where to record
	 */
	public LockObservationTimers(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockAcquireContext || context instanceof LockHoldContext;
	}

	@Override
	public void onStart(Observation.Context context) {
		context.put(Timer.Sample.class, Timer.start(this.registry));
	}

	@Override
	public void onStop(Observation.Context context) {
		LockMeterDocumentation meter = (context instanceof LockAcquireContext) ? LockMeterDocumentation.ACQUIRE
				: LockMeterDocumentation.HOLD;
		List<Tag> tags = new ArrayList<>(4);
		for (KeyValue value : context.getLowCardinalityKeyValues()) {
			tags.add(Tag.of(value.getKey(), value.getValue()));
		}
		Timer.Sample sample = context.getRequired(Timer.Sample.class);
		sample.stop(Timer.builder(Objects.requireNonNullElse(context.getName(), meter.getName()))
			.description(meter.description())
			.tags(tags)
			.register(this.registry));
	}

}
