package io.lockstarter.architecture.planted.redis.script;

import io.lockstarter.architecture.planted.redis.Top;

/**
 * Uses what is above it.
 */
public class KnowsAbove {

	Top above;

}
