package io.lockstarter.architecture.planted.autoconfigure;

import io.lockstarter.architecture.planted.core.KnowsTooMuch;

/**
 * Closes a cycle.
 */
public class Assembly {

	KnowsTooMuch core;

}
