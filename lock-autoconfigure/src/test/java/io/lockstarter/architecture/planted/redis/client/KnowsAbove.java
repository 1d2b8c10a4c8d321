package io.lockstarter.architecture.planted.redis.client;

import io.lockstarter.architecture.planted.redis.Top;

/**
 * Uses what is above it.
 */
public class KnowsAbove {

	Top above;

}
