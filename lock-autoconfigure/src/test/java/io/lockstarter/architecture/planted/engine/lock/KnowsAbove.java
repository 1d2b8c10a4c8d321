package io.lockstarter.architecture.planted.engine.lock;

import io.lockstarter.architecture.planted.engine.Top;

/**
 * Uses what is above it.
 */
public class KnowsAbove {

	Top above;

}
