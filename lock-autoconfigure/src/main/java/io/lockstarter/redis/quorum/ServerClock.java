package io.lockstarter.redis.quorum;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A server's clock, reckoned from when it was last read.
 */
public final class ServerClock {

	private volatile @Nullable Long offset;

	/**
	 * Note what the clock showed.
	 * @param micros the time of the server in microseconds
	 * @param sent the local {@link System#nanoTime()} before the server was asked
	 */
	public void read(long micros, long sent) {
		long halfway = sent + (System.nanoTime() - sent) / 2;
		this.offset = micros - halfway / 1000;
	}

	/**
	 * The time by most of some clocks: the middle one of those that were read, so that a
	 * few that are wrong do not count.
	 * @return microseconds, by the local clock if no other was read
	 */
	static long micros(List<ServerClock> clocks) {
		List<Long> offsets = clocks.stream().map((clock) -> clock.offset).filter(Objects::nonNull).sorted().toList();
		return offsets.isEmpty() ? System.currentTimeMillis() * 1000
				: System.nanoTime() / 1000 + offsets.get((offsets.size() - 1) / 2);
	}

}
