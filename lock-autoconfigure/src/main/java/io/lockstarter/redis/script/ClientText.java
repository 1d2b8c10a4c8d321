package io.lockstarter.redis.script;

import org.jspecify.annotations.Nullable;

/**
 * A message between clients that is about no lock, and begins like none that is.
 */
public final class ClientText {

	/** No key begins with it, and no other kind of message. */
	private static final String MARK = "#";

	private ClientText() {
	}

	/** Make such a message. */
	public static String of(String text) {
		return MARK + text;
	}

	/** What such a message says; {@code null} if it is of another kind. */
	public static @Nullable String in(String message) {
		return message.startsWith(MARK) ? message.substring(MARK.length()) : null;
	}

}
