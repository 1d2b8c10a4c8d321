package io.lockstarter.redis.quorum;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Clock of a server, extrapolated from its last reading.
 * <p>
 * Safe for use by multiple threads.
 */
final class ServerClock {

	private volatile @Nullable Long offset;

	/**
	 * Records a reading of the clock.
	 * @param micros the time of the server in microseconds
	 * @param sent the local {@link System#nanoTime()} before the request
	 */
	void read(long micros, long sent) {
		long halfway = sent + (System.nanoTime() - sent) / 2;
		this.offset = micros - halfway / 1000;
	}

	/**
	 * Returns the median of the clocks that were read, so that a minority of wrong clocks
	 * does not matter.
	 * @return microseconds, by the local clock if no server's clock was read
	 */
	static long micros(List<ServerClock> clocks) {
		List<Long> offsets = clocks.stream().map((clock) -> clock.offset).filter(Objects::nonNull).sorted().toList();
		return offsets.isEmpty() ? System.currentTimeMillis() * 1000
				: System.nanoTime() / 1000 + offsets.get((offsets.size() - 1) / 2);
	}

}
