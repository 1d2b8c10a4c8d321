package io.lockstarter.architecture.planted.redis;

import io.lockstarter.architecture.planted.redis.quorum.KnowsAll;

/**
 * At the top of its layers, but below the quorum.
 */
public class Top {

	KnowsAll quorum;

}
