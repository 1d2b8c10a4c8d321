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
 * Gauges of the number of permits of locks, and of the permits that this instance holds.
 * They are registered for each metric name at its first grant.
 * <p>
 * Safe for use by multiple threads.
 */
public final class PermitGauges implements LockListener {

	private final Map<Tags, AtomicInteger> limits = new ConcurrentHashMap<>();

	private final MeterRegistry registry;

	private final Map<String, LockMonitor> monitors;

	private final LockMonitor monitor;

	/**
	 * Creates an object without gauges.
	 * @param registry the registry of the gauges
	 * @param monitor the source of holds
	 */
	public PermitGauges(MeterRegistry registry, LockMonitor monitor) {
		this(registry, monitor, Map.of());
	}

	/**
	 * Creates an object without gauges, for several lock registries.
	 * @param registry the registry of the gauges
	 * @param monitor the source for the lock registry without a name
	 * @param monitors the sources for the other lock registries, by name
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
