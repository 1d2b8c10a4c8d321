package io.lockstarter.sample.board;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * Counts durations by size. Thread-safe.
 */
final class Histogram {

	/**
	 * The upper ends of the classes in milliseconds, exclusive; one more class is open.
	 */
	static final List<Long> BOUNDS_MILLIS = List.of(1L, 10L, 100L, 500L, 1000L, 2000L, 5000L, 10000L);

	private final AtomicLongArray counts = new AtomicLongArray(BOUNDS_MILLIS.size() + 1);

	void add(Duration duration) {
		long millis = duration.toMillis();
		int index = (int) BOUNDS_MILLIS.stream().takeWhile((bound) -> bound <= millis).count();
		this.counts.incrementAndGet(index);
	}

	List<Long> counts() {
		return IntStream.range(0, this.counts.length()).mapToObj(this.counts::get).toList();
	}

}
