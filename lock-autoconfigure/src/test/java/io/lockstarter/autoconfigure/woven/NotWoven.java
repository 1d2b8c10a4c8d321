package io.lockstarter.autoconfigure.woven;

import io.lockstarter.annotation.DistributedLock;

/**
 * A class that the weaver is told to leave alone.
 */
public class NotWoven {

	@DistributedLock
	public void run() {
	}

}
