package io.lockstarter.verification.history.recording;

/**
 * Span of time.
 *
 * @param begin the beginning, by {@link System#nanoTime()}
 * @param end the end
 */
public record Span(long begin, long end) {

	/**
	 * Returns whether a time lies within this span.
	 * @param time the time
	 * @return {@code true} if so
	 */
	public boolean contains(long time) {
		return this.begin <= time && time <= this.end;
	}

	/**
	 * Returns whether two spans overlap.
	 * @param other the other span
	 * @return {@code true} if so
	 */
	public boolean meets(Span other) {
		return this.begin <= other.end && other.begin <= this.end;
	}

	/**
	 * Returns the length.
	 * @return the length in nanoseconds
	 */
	public long nanos() {
		return this.end - this.begin;
	}

}
