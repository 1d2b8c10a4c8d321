package io.lockstarter.architecture.planted.redis.quorum;

/**
 * May know all of its layers.
 */
public class KnowsAll {

	Object nothing;

}
