package io.lockstarter.architecture.planted.stray;

/**
 * Lives in a package of which no rule knows.
 */
public class Stray {

}
