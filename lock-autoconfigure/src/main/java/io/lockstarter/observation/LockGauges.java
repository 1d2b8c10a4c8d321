package io.lockstarter.observation;

import java.util.function.ToDoubleFunction;

import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows in gauges how many locks are held and waited for.
 * <p>
 * Apart from {@link LockMeters} because those are made before the registry of locks,
 * which tells them what happens, and these after it, because they ask it.
 */
public final class LockGauges implements MeterBinder {

	private final LockMonitor monitor;

	/**
	 * Show the locks of a monitor.
	 * @param monitor whose locks to show
	 */
	public LockGauges(LockMonitor monitor) {
		this.monitor = monitor;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		gauge(LockMeterDocumentation.HELD, LockMonitor::heldCount, registry);
		gauge(LockMeterDocumentation.WAITING, LockMonitor::waitingCount, registry);
	}

	private void gauge(LockMeterDocumentation meter, ToDoubleFunction<LockMonitor> value, MeterRegistry registry) {
		Gauge.builder(meter.getName(), this.monitor, value).description(meter.description()).register(registry);
	}

}
