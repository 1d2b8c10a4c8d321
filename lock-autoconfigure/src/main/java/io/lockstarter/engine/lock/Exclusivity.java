package io.lockstarter.engine.lock;

import java.util.List;

import io.lockstarter.core.LockRequest;

/**
 * Exclusivity of a hold.
 */
public enum Exclusivity {

	/** No other hold at the same time. */
	EXCLUSIVE,

	/**
	 * As many holds at the same time as there are permits, each with a tenure of its own.
	 */
	PERMIT,

	/** Any number of readers at the same time. Readers of one JVM may share a tenure. */
	READER;

	/** Returns the exclusivity that a request needs. */
	public static Exclusivity of(LockRequest request) {
		if (request.type().isShared()) {
			return READER;
		}
		return (request.permits() > 1) ? PERMIT : EXCLUSIVE;
	}

	/**
	 * Returns the exclusivities of existing holds that serve a request for this one, so
	 * that its owner re-enters instead of acquiring another hold.
	 */
	List<Exclusivity> servedBy() {
		return switch (this) {
			case EXCLUSIVE -> List.of(EXCLUSIVE);
			case PERMIT -> List.of(PERMIT, EXCLUSIVE);
			case READER -> List.of(READER, PERMIT);
		};
	}

	boolean isShared() {
		return this != EXCLUSIVE;
	}

	/** Returns the wording for messages. */
	String text() {
		return switch (this) {
			case EXCLUSIVE -> "exclusively";
			case PERMIT -> "with one of several permits";
			case READER -> "as a reader";
		};
	}

}
