package io.lockstarter.observation;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Observer that registers the initial meters of a metric name at the first request with
 * that name. Every further request costs one lookup in a map.
 * <p>
 * Metric names are few. If an application derives them from keys nevertheless, the names
 * after the first {@value #MAX_NAMES} get no initial meters, so that the number of meters
 * is limited.
 * <p>
 * Safe for use by multiple threads.
 */
public final class MeterInitializer implements LockObserver {

	/** Maximum number of metric names with initial meters. */
	static final int MAX_NAMES = 1000;

	private final LockMeters counters;

	private final LockGauges gauges;

	/** Requested lock types by metric name and registry. */
	private final Map<Name, Set<LockType>> known = new ConcurrentHashMap<>();

	/**
	 * Creates an observer.
	 * @param counters the counters to initialize with zero
	 * @param gauges the gauges to register
	 */
	public MeterInitializer(LockMeters counters, LockGauges gauges) {
		this.counters = counters;
		this.gauges = gauges;
	}

	@Override
	public @Nullable Wait requested(LockRequest request) {
		Name name = new Name(request.metricName(), request.registry());
		Set<LockType> types = this.known.get(name);
		if (types == null && this.known.size() < MAX_NAMES) {
			types = begin(name);
		}
		if (types != null && !types.contains(request.type()) && types.add(request.type())) {
			this.counters.initialize(name.text(), request.type(), name.registry());
		}
		return null;
	}

	private Set<LockType> begin(Name name) {
		Set<LockType> none = ConcurrentHashMap.newKeySet();
		Set<LockType> before = this.known.putIfAbsent(name, none);
		if (before != null) {
			return before;
		}
		this.gauges.show(name.text(), name.registry());
		return none;
	}

	/**
	 * Metric name within a registry.
	 *
	 * @param text the name
	 * @param registry the registry of the locks, or {@code null} if there is only one
	 */
	private record Name(String text, @Nullable String registry) {
	}

}
