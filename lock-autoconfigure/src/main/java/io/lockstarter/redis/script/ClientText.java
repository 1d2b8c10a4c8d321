package io.lockstarter.redis.script;

import org.jspecify.annotations.Nullable;

/**
 * Encoding of messages between clients that do not concern a lock.
 */
public final class ClientText {

	/** Prefix with which no key and no other kind of message begins. */
	private static final String PREFIX = "#";

	private ClientText() {
	}

	/** Encodes a text as a message. */
	public static String of(String text) {
		return PREFIX + text;
	}

	/** Decodes a message. Returns {@code null} for a message of another kind. */
	public static @Nullable String in(String message) {
		return message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : null;
	}

}
