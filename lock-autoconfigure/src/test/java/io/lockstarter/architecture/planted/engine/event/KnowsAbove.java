package io.lockstarter.architecture.planted.engine.event;

import io.lockstarter.architecture.planted.engine.Top;

/**
 * Uses what is above it.
 */
public class KnowsAbove {

	Top above;

}
