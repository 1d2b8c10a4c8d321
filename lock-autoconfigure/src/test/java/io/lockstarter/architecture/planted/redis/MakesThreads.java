package io.lockstarter.architecture.planted.redis;

/**
 * Makes a thread that inherits what belongs to its caller.
 */
class MakesThreads {

	Thread make() {
		return new Thread(() -> {
		});
	}

}
