package io.lockstarter.observation;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Makes the meters of a name that are there before anything is counted, when a lock of
 * that name is first asked for. After that a request costs a look into a map.
 * <p>
 * Names are few. Where somebody makes them from keys nonetheless, those after the first
 * {@value #MOST} get no such meters, so that neither they nor this set grow without end.
 */
public final class NamesOfMeters implements LockObserver {

	static final int MOST = 1000;

	private final LockMeters counters;

	private final LockGauges gauges;

	/** What has been asked for, by name and, if there are several registries, theirs. */
	private final Map<Name, Set<LockType>> known = new ConcurrentHashMap<>();

	/**
	 * Know no names yet.
	 * @param counters begin at zero
	 * @param gauges show what goes on
	 */
	public NamesOfMeters(LockMeters counters, LockGauges gauges) {
		this.counters = counters;
		this.gauges = gauges;
	}

	@Override
	public @Nullable Wait requested(LockRequest request) {
		Name name = new Name(request.metricName(), request.registry());
		Set<LockType> types = this.known.get(name);
		if (types == null && this.known.size() < MOST) {
			types = begin(name);
		}
		if (types != null && !types.contains(request.type()) && types.add(request.type())) {
			this.counters.begin(name.text(), request.type(), name.registry());
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
	 * A name of meters.
	 *
	 * @param text the name
	 * @param registry the registry of its locks, or {@code null} if there is only one
	 */
	private record Name(String text, @Nullable String registry) {
	}

}
