package io.lockstarter.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the current state of locks in this JVM, by metric name. Holds and waiting
 * requests are counted only when a gauge is read.
 * <p>
 * Safe for use by multiple threads.
 */
public final class LockGauges implements LockListener {

	private final MeterRegistry registry;

	private final GaugeSnapshot snapshot;

	private final Map<String, GaugeSnapshot> snapshots;

	/** Numbers of permits as last granted, by the tags of their gauges. */
	private final Map<Tags, AtomicInteger> permits = new ConcurrentHashMap<>();

	/**
	 * Creates an object without gauges.
	 * @param registry the registry of the gauges
	 * @param monitor the source for the lock registry without a name
	 * @param monitors the sources for the other lock registries, by name
	 */
	public LockGauges(MeterRegistry registry, LockMonitor monitor, Map<String, LockMonitor> monitors) {
		this.registry = registry;
		this.snapshot = new GaugeSnapshot(monitor, System::nanoTime);
		this.snapshots = monitors.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey,
					(entry) -> new GaugeSnapshot(entry.getValue(), System::nanoTime)));
	}

	/** Registers the gauges of a name, except those of permits. */
	void show(String name, @Nullable String lockRegistry) {
		GaugeSnapshot source = source(lockRegistry);
		Tags tags = tags(name, lockRegistry);
		count(LockMeterDocumentation.HELD, tags, source, (all) -> all.of(name).held());
		count(LockMeterDocumentation.WAITING, tags, source, (all) -> all.of(name).waiting());
		time(LockMeterDocumentation.OLDEST_HOLD, tags, source, (all) -> all.of(name).oldestHoldSeconds());
		time(LockMeterDocumentation.LONGEST_WAIT, tags, source, (all) -> all.of(name).longestWaitSeconds());
	}

	/** Registers the gauges of permits at the first grant of a name with permits. */
	@Override
	public void acquired(LockHandle lock, Duration waited) {
		if (lock.permits() > 1) {
			String name = lock.metricName();
			String lockRegistry = lock.registry();
			this.permits
				.computeIfAbsent(tags(name, lockRegistry), (tags) -> showPermits(name, tags, source(lockRegistry)))
				.set(lock.permits());
		}
	}

	private AtomicInteger showPermits(String name, Tags tags, GaugeSnapshot source) {
		AtomicInteger granted = new AtomicInteger();
		count(LockMeterDocumentation.PERMITS, tags, granted, AtomicInteger::get);
		count(LockMeterDocumentation.PERMITS_HELD, tags, source, (all) -> all.of(name).permitsHeld());
		return granted;
	}

	private GaugeSnapshot source(@Nullable String lockRegistry) {
		GaugeSnapshot known = (lockRegistry != null) ? this.snapshots.get(lockRegistry) : null;
		return (known != null) ? known : this.snapshot;
	}

	private static Tags tags(String name, @Nullable String lockRegistry) {
		return Tags.of(LockMeterDocumentation.Tag.NAME.asString(), name).and(LockMeters.tags(lockRegistry));
	}

	private <T> void count(LockMeterDocumentation meter, Tags tags, T source, ToDoubleFunction<T> value) {
		Gauge.builder(meter.getName(), source, value)
			.description(meter.description())
			.tags(tags)
			.register(this.registry);
	}

	private void time(LockMeterDocumentation meter, Tags tags, GaugeSnapshot source,
			ToDoubleFunction<GaugeSnapshot> seconds) {
		TimeGauge.builder(meter.getName(), source, TimeUnit.SECONDS, seconds)
			.description(meter.description())
			.tags(tags)
			.register(this.registry);
	}

}
