package io.lockstarter.verification.history.recording;

/**
 * A stretch of time.
 *
 * @param begin its beginning, by {@link System#nanoTime()}
 * @param end its end
 */
public record Span(long begin, long end) {

	/**
	 * Returns whether a time lies within.
	 * @param time the time
	 * @return {@code true} if so
	 */
	public boolean contains(long time) {
		return this.begin <= time && time <= this.end;
	}

	/**
	 * Returns whether two stretches have a time in common.
	 * @param other the other one
	 * @return {@code true} if so
	 */
	public boolean meets(Span other) {
		return this.begin <= other.end && other.begin <= this.end;
	}

	/**
	 * Returns the length.
	 * @return nanoseconds
	 */
	public long nanos() {
		return this.end - this.begin;
	}

}
