package io.lockstarter.verification.history.recording;

/**
 * A request of a thread from its beginning to its completion. It may be for several
 * locks.
 *
 * @param jvm the number of the JVM
 * @param thread the name of the requesting thread
 * @param requested the time of the request
 * @param waitTime the longest wait in nanoseconds
 * @param completed the time of completion, with or without a lock; {@link Hold#NEVER} if
 * it did not complete
 */
public record Attempt(int jvm, String thread, long requested, long waitTime, long completed) {

	/**
	 * Returns this request with its completion.
	 * @param at the time of completion
	 * @return the completed request
	 */
	public Attempt completed(long at) {
		return new Attempt(this.jvm, this.thread, this.requested, this.waitTime, Math.min(at, this.completed));
	}

}
