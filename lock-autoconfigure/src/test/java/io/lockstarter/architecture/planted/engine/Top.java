package io.lockstarter.architecture.planted.engine;

/**
 * At the top of its layers.
 */
public class Top {

	Object nothing;

}
