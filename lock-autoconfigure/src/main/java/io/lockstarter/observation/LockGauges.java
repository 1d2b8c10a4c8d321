package io.lockstarter.observation;

import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows in gauges how many locks are held and waited for.
 * <p>
 * Apart from {@link LockMeters} because those are made before the registry of locks,
 * which tells them what happens, and these after it, because they ask it.
 */
public final class LockGauges implements MeterBinder {

	private final Map<Tags, LockMonitor> monitors;

	/**
	 * Show the locks of a monitor.
	 * @param monitor whose locks to show
	 */
	public LockGauges(LockMonitor monitor) {
		this.monitors = Map.of(Tags.empty(), monitor);
	}

	/**
	 * Show the locks of several registries.
	 * @param monitors their monitors by their names
	 */
	public LockGauges(Map<String, LockMonitor> monitors) {
		this.monitors = monitors.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap((entry) -> LockMeters.tags(entry.getKey()), Map.Entry::getValue));
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		gauge(LockMeterDocumentation.HELD, LockMonitor::heldCount, registry);
		gauge(LockMeterDocumentation.WAITING, LockMonitor::waitingCount, registry);
	}

	private void gauge(LockMeterDocumentation meter, ToDoubleFunction<LockMonitor> value, MeterRegistry registry) {
		this.monitors.forEach((tags, monitor) -> Gauge.builder(meter.getName(), monitor, value)
			.description(meter.description())
			.tags(tags)
			.register(registry));
	}

}
