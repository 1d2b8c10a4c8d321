package io.lockstarter.benchmarks.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.lockstarter.benchmarks.contender.ContenderType;
import org.jspecify.annotations.Nullable;

/**
 * Contenders that are reused by successive scenarios, because their JVMs get faster over
 * time. All contenders at a time have the same number of JVMs, with the same JDK.
 */
public final class Fleet implements AutoCloseable {

	private final Map<ContenderType, Entry> entries = new EnumMap<>(ContenderType.class);

	private final Duration roundTrip;

	private @Nullable Kind kind;

	/**
	 * Creates an empty fleet.
	 * @param roundTrip the additional round-trip time to Redis
	 */
	public Fleet(Duration roundTrip) {
		this.roundTrip = roundTrip;
	}

	/** Returns the contenders, some of which may still be starting. */
	List<Entry> muster(List<ContenderType> field, int jvms, Path javaHome) {
		Kind requested = new Kind(jvms, javaHome);
		if (!requested.equals(this.kind)) {
			close();
			this.kind = requested;
		}
		return field.stream().map(this::muster).toList();
	}

	private Entry muster(ContenderType contender) {
		return this.entries.compute(contender, (key, present) -> {
			if (present != null && !present.hasFailed()) {
				return present;
			}
			if (present != null) {
				present.close();
			}
			Kind current = Objects.requireNonNull(this.kind);
			return Entry.start(contender, current.jvms(), current.javaHome(), this.roundTrip, UnaryOperator.identity());
		});
	}

	@Override
	public void close() {
		this.entries.values().forEach(Entry::close);
		this.entries.clear();
	}

	/**
	 * Common properties of the contenders in a fleet.
	 */
	private record Kind(int jvms, Path javaHome) {
	}

}
