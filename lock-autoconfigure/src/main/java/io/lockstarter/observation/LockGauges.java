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
 * Shows in gauges what is held and waited for under each name, and since when. They look
 * when they are read; until then they cost nothing.
 */
public final class LockGauges {

	private final MeterRegistry registry;

	private final WorkInProgress work;

	private final Map<String, WorkInProgress> several;

	/**
	 * Show nothing yet.
	 * @param registry where to show
	 * @param monitor tells what is held and waited for
	 */
	public LockGauges(MeterRegistry registry, LockMonitor monitor) {
		this(registry, monitor, Map.of());
	}

	/**
	 * Show nothing yet of several registries.
	 * @param registry where to show
	 * @param monitor tells of a registry without a name
	 * @param monitors tell of the others, by their names
	 */
	public LockGauges(MeterRegistry registry, LockMonitor monitor, Map<String, LockMonitor> monitors) {
		this.registry = registry;
		this.work = new WorkInProgress(monitor, System::nanoTime);
		this.several = monitors.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey,
					(entry) -> new WorkInProgress(entry.getValue(), System::nanoTime)));
	}

	/** Show a name from now on. */
	void show(String name, @Nullable String lockRegistry) {
		WorkInProgress known = (lockRegistry != null) ? this.several.get(lockRegistry) : null;
		WorkInProgress source = (known != null) ? known : this.work;
		Tags tags = Tags.of(LockMeterDocumentation.Tag.NAME.asString(), name).and(LockMeters.tags(lockRegistry));
		count(LockMeterDocumentation.HELD, tags, source, (all) -> all.of(name).held());
		count(LockMeterDocumentation.WAITING, tags, source, (all) -> all.of(name).waiting());
		time(LockMeterDocumentation.OLDEST_HOLD, tags, source, (all) -> all.of(name).oldestHoldSeconds());
		time(LockMeterDocumentation.LONGEST_WAIT, tags, source, (all) -> all.of(name).longestWaitSeconds());
	}

	private void count(LockMeterDocumentation meter, Tags tags, WorkInProgress source,
			ToDoubleFunction<WorkInProgress> value) {
		Gauge.builder(meter.getName(), source, value)
			.description(meter.description())
			.tags(tags)
			.register(this.registry);
	}

	private void time(LockMeterDocumentation meter, Tags tags, WorkInProgress source,
			ToDoubleFunction<WorkInProgress> seconds) {
		TimeGauge.builder(meter.getName(), source, TimeUnit.SECONDS, seconds)
			.description(meter.description())
			.tags(tags)
			.register(this.registry);
	}

}
