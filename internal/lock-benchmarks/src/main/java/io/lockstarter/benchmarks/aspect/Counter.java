package io.lockstarter.benchmarks.aspect;

import io.lockstarter.annotation.DistributedLock;

/**
 * Minimal work.
 */
class Counter {

	private long sum;

	long add(long id) {
		this.sum += id;
		return this.sum;
	}

	@DistributedLock(name = "counter", key = "#id")
	long addLocked(long id) {
		return add(id);
	}

}
