package io.lockstarter.observation;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockType;
import io.lockstarter.observation.LockMeterDocumentation.Tag;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Counters of lock events.
 * <p>
 * Meters are not cached: the registry finds a meter in a fraction of a microsecond, and a
 * cached meter would be useless after the registry was cleared.
 * <p>
 * Safe for use by multiple threads.
 */
public final class LockMeters implements LockListener {

	private static final String FAILED = "failed";

	private final MeterProvider<Counter> handovers;

	private final MeterProvider<Counter> lost;

	private final MeterProvider<Counter> renewals;

	private final MeterProvider<Counter> fenced;

	/**
	 * Creates counters in a registry.
	 * @param registry the registry of the counters
	 */
	public LockMeters(MeterRegistry registry) {
		this.handovers = counter(LockMeterDocumentation.HANDOVERS, registry);
		this.lost = counter(LockMeterDocumentation.LOST, registry);
		this.renewals = counter(LockMeterDocumentation.RENEWALS, registry);
		this.fenced = counter(LockMeterDocumentation.FENCED, registry);
	}

	private static MeterProvider<Counter> counter(LockMeterDocumentation meter, MeterRegistry registry) {
		return Counter.builder(meter.getName()).description(meter.description()).withRegistry(registry);
	}

	/**
	 * Initializes the counters of rare events with zero. A counter that begins with 1
	 * shows no increase.
	 */
	void initialize(String name, LockType type, @Nullable String registry) {
		Tags tags = tags(name, type, registry);
		for (LockLoss.Reason reason : LockLoss.Reason.values()) {
			this.lost.withTags(tags.and(Tag.REASON.asString(), TagValues.of(reason)));
		}
		this.renewals.withTags(tags.and(Tag.OUTCOME.asString(), FAILED));
	}

	@Override
	public void handedOver(LockHandle lock) {
		this.handovers.withTags(tags(lock)).increment();
	}

	@Override
	public void renewed(LockHandle lock) {
		this.renewals.withTags(tags(lock).and(Tag.OUTCOME.asString(), "renewed")).increment();
	}

	@Override
	public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
		this.renewals.withTags(tags(lock).and(Tag.OUTCOME.asString(), FAILED)).increment();
	}

	@Override
	public void lost(LockLoss loss) {
		Tags tags = tags(loss.metricName(), loss.type(), loss.registry());
		this.lost.withTags(tags.and(Tag.REASON.asString(), TagValues.of(loss.reason()))).increment();
	}

	@Override
	public void fenceCommitted(LockHandle lock) {
		Tags tags = tags(lock);
		this.fenced.withTags(tags.and(Tag.OUTCOME.asString(), "committed")).increment();
		// A counter that begins with 1 shows no increase.
		for (FenceRefusal.Stage stage : FenceRefusal.Stage.values()) {
			this.fenced.withTags(tags.and(Tag.OUTCOME.asString(), outcome(stage)));
		}
	}

	@Override
	public void fenceRefused(FenceRefusal refusal) {
		Tags tags = tags(refusal.metricName(), refusal.type(), refusal.registry());
		this.fenced.withTags(tags.and(Tag.OUTCOME.asString(), outcome(refusal.stage()))).increment();
	}

	private static String outcome(FenceRefusal.Stage stage) {
		return (stage == FenceRefusal.Stage.COMMIT) ? "refused" : "stale";
	}

	private static Tags tags(LockHandle lock) {
		return tags(lock.metricName(), lock.type(), lock.registry());
	}

	private static Tags tags(String metricName, LockType type, @Nullable String registry) {
		return Tags.of(Tag.NAME.asString(), metricName, Tag.TYPE.asString(), type.tag()).and(tags(registry));
	}

	/**
	 * Returns the tag of a registry. A single registry has no name and no tag.
	 */
	static Tags tags(@Nullable String registry) {
		return (registry != null) ? Tags.of(Tag.REGISTRY.asString(), registry) : Tags.empty();
	}

}
