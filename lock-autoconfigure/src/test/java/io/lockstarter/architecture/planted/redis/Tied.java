package io.lockstarter.architecture.planted.redis;

/**
 * Knows one that knows it.
 */
public class Tied {

	Knot other;

}
