package io.lockstarter.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Shows in gauges how many may hold a lock that has permits, and how many do in this
 * instance: from the first grant on, one of each for every static name.
 */
public final class PermitGauges implements LockListener {

	private final Map<Tags, AtomicInteger> limits = new ConcurrentHashMap<>();

	private final MeterRegistry registry;

	private final Map<String, LockMonitor> monitors;

	private final LockMonitor monitor;

	/**
	 * Show nothing yet.
	 * @param registry where to show
	 * @param monitor tells what is held
	 */
	public PermitGauges(MeterRegistry registry, LockMonitor monitor) {
		this(registry, monitor, Map.of());
	}

	/**
	 * Show nothing yet of several registries.
	 * @param registry where to show
	 * @param monitor tells what is held in a registry without a name
	 * @param monitors tell what is held in the others, by their names
	 */
	public PermitGauges(MeterRegistry registry, LockMonitor monitor, Map<String, LockMonitor> monitors) {
		this.registry = registry;
		this.monitors = Map.copyOf(monitors);
		this.monitor = monitor;
	}

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		if (lock.permits() > 1) {
			String name = lock.metricName();
			String registry = lock.registry();
			LockMonitor known = (registry != null) ? this.monitors.get(registry) : null;
			Tags tags = Tags.of(LockMeterDocumentation.Tag.NAME.asString(), name).and(LockMeters.tags(registry));
			this.limits.computeIfAbsent(tags, (key) -> show(key, name, (known != null) ? known : this.monitor))
				.set(lock.permits());
		}
	}

	private AtomicInteger show(Tags tags, String name, LockMonitor source) {
		AtomicInteger limit = new AtomicInteger();
		Gauge.builder(LockMeterDocumentation.PERMITS.getName(), limit, AtomicInteger::get)
			.description(LockMeterDocumentation.PERMITS.description())
			.tags(tags)
			.register(this.registry);
		Gauge.builder(LockMeterDocumentation.PERMITS_HELD.getName(), source, (monitor) -> held(monitor, name))
			.description(LockMeterDocumentation.PERMITS_HELD.description())
			.tags(tags)
			.register(this.registry);
		return limit;
	}

	private static long held(LockMonitor monitor, String name) {
		return monitor.held().stream().filter((hold) -> hold.permits() > 1 && hold.metricName().equals(name)).count();
	}

}
