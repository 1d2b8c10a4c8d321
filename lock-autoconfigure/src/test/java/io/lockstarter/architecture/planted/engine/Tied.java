package io.lockstarter.architecture.planted.engine;

/**
 * Knows one that knows it.
 */
public class Tied {

	Knot other;

}
