package io.lockstarter.benchmarks.contender;

/**
 * Minimal scripts of a lock in Redis.
 */
final class RawScripts {

	static final String ACQUIRE = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";

	static final String RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0";

	private RawScripts() {
	}

}
