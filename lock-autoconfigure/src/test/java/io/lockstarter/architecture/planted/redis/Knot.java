package io.lockstarter.architecture.planted.redis;

/**
 * Knows one that knows it.
 */
public class Knot {

	Tied other;

}
