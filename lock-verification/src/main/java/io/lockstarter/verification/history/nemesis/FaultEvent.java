package io.lockstarter.verification.history.nemesis;

import io.lockstarter.verification.history.recording.Span;

/**
 * A fault that struck.
 *
 * @param fault its class
 * @param span from when it struck to when it was healed
 * @param jvm the number of the JVM that it struck, or {@link #ALL}
 */
public record FaultEvent(FaultClass fault, Span span, int jvm) {

	/** Stands for all JVMs. */
	public static final int ALL = -1;

}
