package io.lockstarter.engine.lock;

import java.util.List;

import io.lockstarter.core.LockRequest;

/**
 * Who may hold a lock beside a hold.
 */
public enum HoldMode {

	/** Nobody. */
	ALONE,

	/** As many as there are permits. Each such hold has a tenure of its own. */
	PERMIT,

	/** Any number. Readers of one JVM may share a tenure. */
	READER;

	/** What a request asks for. */
	public static HoldMode of(LockRequest request) {
		if (request.type().isShared()) {
			return READER;
		}
		return (request.permits() > 1) ? PERMIT : ALONE;
	}

	/**
	 * The modes of holds that an owner who asks for this one goes on with, instead of
	 * beginning another.
	 */
	List<HoldMode> servedBy() {
		return switch (this) {
			case ALONE -> List.of(ALONE);
			case PERMIT -> List.of(PERMIT, ALONE);
			case READER -> List.of(READER, PERMIT);
		};
	}

	boolean isShared() {
		return this != ALONE;
	}

	/** How it is told of in a message. */
	String text() {
		return switch (this) {
			case ALONE -> "alone";
			case PERMIT -> "with one of several permits";
			case READER -> "as a reader";
		};
	}

}
