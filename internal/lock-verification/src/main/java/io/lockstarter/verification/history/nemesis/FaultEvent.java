package io.lockstarter.verification.history.nemesis;

import io.lockstarter.verification.history.recording.Span;

/**
 * Fault that was injected.
 *
 * @param fault the kind of the fault
 * @param span the time from the injection to the repair
 * @param jvm the number of the affected JVM, or {@link #ALL}
 */
public record FaultEvent(FaultClass fault, Span span, int jvm) {

	/** Number that stands for all JVMs. */
	public static final int ALL = -1;

}
