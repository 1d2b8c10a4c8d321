package io.lockstarter.verification.history.recording;

/**
 * A request, from when it is made to when whoever makes it knows how it ended. It need
 * not have been for one lock alone.
 *
 * @param jvm the number of the JVM
 * @param thread who asks, for one thing at a time
 * @param asked when
 * @param patience for how long it may be kept waiting, in nanoseconds
 * @param answered when the thread went on, with a lock or without; {@link Hold#NEVER} if
 * it did not
 */
public record Ask(int jvm, String thread, long asked, long patience, long answered) {

	/**
	 * Returns the same request when its thread has gone on.
	 * @param at when it did
	 * @return the request with its end
	 */
	public Ask answered(long at) {
		return new Ask(this.jvm, this.thread, this.asked, this.patience, Math.min(at, this.answered));
	}

}
