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
 * Contenders that stay for one scenario after another, since their JVMs get faster with
 * what they have done. All that it has at a time have as many JVMs, of the same JDK.
 */
public final class Fleet implements AutoCloseable {

	private final Map<ContenderType, Entry> entries = new EnumMap<>(ContenderType.class);

	private final Duration roundTrip;

	private @Nullable Kind kind;

	/**
	 * Starts nobody yet.
	 * @param roundTrip how much farther away Redis seems to be than it is
	 */
	public Fleet(Duration roundTrip) {
		this.roundTrip = roundTrip;
	}

	/** Returns these contenders, of whom some may still be starting. */
	List<Entry> muster(List<ContenderType> field, int jvms, Path javaHome) {
		Kind wanted = new Kind(jvms, javaHome);
		if (!wanted.equals(this.kind)) {
			close();
			this.kind = wanted;
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
	 * What the contenders of a fleet have in common.
	 */
	private record Kind(int jvms, Path javaHome) {
	}

}
