package io.lockstarter.verification.history.recording;

/**
 * A stretch of time.
 *
 * @param begin its beginning, by {@link System#nanoTime()}
 * @param end its end
 */
public record Span(long begin, long end) {

	/**
	 * Return whether a time lies within.
	 * @param time the time
	 * @return whether it does
	 */
	public boolean contains(long time) {
		return this.begin <= time && time <= this.end;
	}

	/**
	 * Return whether two stretches have a time in common.
	 * @param other the other one
	 * @return whether they do
	 */
	public boolean meets(Span other) {
		return this.begin <= other.end && other.begin <= this.end;
	}

	/**
	 * Return the length.
	 * @return nanoseconds
	 */
	public long nanos() {
		return this.end - this.begin;
	}

}
