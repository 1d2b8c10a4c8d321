package io.lockstarter.architecture.planted.core;

/**
 * Tells nothing any more after it was serialized.
 */
public class ForgetfulException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	final transient Object what = "something";

}
