package io.lockstarter.observation;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.lockstarter.core.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the holds and the waiting requests of each name, and of their ages. Gauges
 * take a snapshot when they are read, and cost nothing otherwise.
 * <p>
 * Safe for use by multiple threads.
 */
public final class LockGauges {

	private final MeterRegistry registry;

	private final GaugeSnapshot snapshot;

	private final Map<String, GaugeSnapshot> snapshots;

	/**
	 * Creates an object without gauges.
	 * @param registry the registry of the gauges
	 * @param monitor the source of holds and waiting requests
	 */
	public LockGauges(MeterRegistry registry, LockMonitor monitor) {
		this(registry, monitor, Map.of());
	}

	/**
	 * Creates an object without gauges, for several lock registries.
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

	/** Registers the gauges of a name. */
	void show(String name, @Nullable String lockRegistry) {
		GaugeSnapshot known = (lockRegistry != null) ? this.snapshots.get(lockRegistry) : null;
		GaugeSnapshot source = (known != null) ? known : this.snapshot;
		Tags tags = Tags.of(LockMeterDocumentation.Tag.NAME.asString(), name).and(LockMeters.tags(lockRegistry));
		count(LockMeterDocumentation.HELD, tags, source, (all) -> all.of(name).held());
		count(LockMeterDocumentation.WAITING, tags, source, (all) -> all.of(name).waiting());
		time(LockMeterDocumentation.OLDEST_HOLD, tags, source, (all) -> all.of(name).oldestHoldSeconds());
		time(LockMeterDocumentation.LONGEST_WAIT, tags, source, (all) -> all.of(name).longestWaitSeconds());
	}

	private void count(LockMeterDocumentation meter, Tags tags, GaugeSnapshot source,
			ToDoubleFunction<GaugeSnapshot> value) {
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
