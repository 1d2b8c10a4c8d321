package io.lockstarter.verification.model;

/**
 * Error reply of Redis.
 */
@SuppressWarnings("serial")
final class RedisError extends RuntimeException {

	RedisError(String message) {
		super(message, null, false, false);
	}

	static RedisError wrongType() {
		return new RedisError("WRONGTYPE Operation against a key holding the wrong kind of value");
	}

}
