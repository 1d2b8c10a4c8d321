package io.lockstarter.engine.lock;

import io.lockstarter.core.LockOwner;

/**
 * What the machine of a name is told once.
 *
 * @param instance how this JVM is called in what others see of its locks
 * @param handoverLimit how many hand-overs others wait for, or 0 to hand over never
 * @param directGrants whether a lock may be granted by a message
 * @param keepsOrder whether the backend carries commands out in the order in which they
 * are sent
 */
public record MachineTerms(String instance, int handoverLimit, boolean directGrants, boolean keepsOrder) {

	/** How an owner is shown to other instances. */
	String label(LockOwner owner) {
		return this.instance + "/" + owner;
	}

}
